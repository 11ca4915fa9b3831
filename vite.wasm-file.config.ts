import { readFile } from 'node:fs/promises';
import { basename, posix } from 'node:path';
import type { Plugin } from 'vite';

const SUFFIX = '.wasm?file';

/** Of the modules made here. The path is encoded: what lies in node_modules by its name a test runner leaves to Node. */
const PREFIX = '\0wasm-file:';

/** Stands for the way from a chunk to the folder of the build, until the chunk has its place. */
const PLACE = '__way_to_the_build__/';

/**
 * Makes `import path from 'package/x.wasm?file'` the absolute path of a file: in a build of a copy beside the code, else
 * of the package's own. Vite's `?url` does that for pages; Node wants a path.
 */
export function wasmFiles(): Plugin {
  let isBuild = false;
  return {
    name: 'wasm-files',
    enforce: 'pre',
    // A build for Node drops what it calls assets otherwise.
    config: () => ({ build: { ssrEmitAssets: true } }),
    configResolved: ({ command }) => {
      isBuild = command === 'build';
    },
    async resolveId(id, importer) {
      if (!id.endsWith(SUFFIX)) {
        return null;
      }
      const found = await this.resolve(id.slice(0, -'?file'.length), importer, { skipSelf: true });
      return found === null ? null : PREFIX + Buffer.from(found.id).toString('base64url');
    },
    async load(id) {
      if (!id.startsWith(PREFIX)) {
        return null;
      }
      const path = Buffer.from(id.slice(PREFIX.length), 'base64url').toString();
      if (!isBuild) {
        return `export default ${JSON.stringify(path)};`;
      }
      const name = basename(path);
      this.emitFile({ type: 'asset', fileName: name, source: await readFile(path) });
      return `import { fileURLToPath } from 'node:url';\nexport default fileURLToPath(new URL('${PLACE}${name}', import.meta.url));`;
    },
    // Vite itself would write an address of a web page, where the code needs the way from its own chunk.
    renderChunk: (code, { fileName }) =>
      code.includes(PLACE) ? code.replaceAll(PLACE, `${posix.relative(posix.dirname(fileName), '.') || '.'}/`) : null,
  };
}
