import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { defineConfig } from 'vite';
import { wasmFiles } from './vite.wasm-file.config.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

/** The command line: plain Node, with everything bundled but the native module. */
export default defineConfig({
  define: { __SHELLSCOPE_VERSION__: JSON.stringify(version) },
  plugins: [wasmFiles()],
  ssr: { noExternal: true, external: ['node-pty'] },
  build: {
    ssr: 'src/cli/main.ts',
    outDir: 'out/cli',
    target: 'node20.18',
    minify: false,
    sourcemap: true,
    rolldownOptions: {
      external: [/^node-pty/, ...builtinModules, /^node:/],
      // All in one folder, so that `import.meta.dirname` is the same in each.
      output: { entryFileNames: 'main.js', chunkFileNames: '[name]-[hash].js', banner: '#!/usr/bin/env node' },
    },
  },
});
