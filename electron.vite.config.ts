import { readFileSync } from 'node:fs';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';
import { wasmFiles } from './vite.wasm-file.config.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

/** Electron 33, the oldest runtime this has to work on, is Node 20.18 and Chrome 130. */
const NODE_TARGET = 'node20.18';
const CHROME_TARGET = 'chrome130';

const define = { __SHELLSCOPE_VERSION__: JSON.stringify(version) };

export default defineConfig({
  main: {
    define,
    plugins: [wasmFiles()],
    build: {
      target: NODE_TARGET,
      sourcemap: true,
      outDir: 'out/main',
      rolldownOptions: {
        input: 'src/main/index.ts',
        external: [/^node-pty/],
        // A third is comments of libraries, which V8 reads at each start. Names stay as they are, for stack traces.
        output: { minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } } },
      },
    },
  },
  preload: {
    build: {
      target: NODE_TARGET,
      sourcemap: true,
      outDir: 'out/preload',
      // A sandboxed preload is one CommonJS file.
      rolldownOptions: { input: 'src/preload/index.ts', output: { format: 'cjs', entryFileNames: 'index.cjs' } },
    },
  },
  renderer: {
    define,
    root: 'src/renderer',
    plugins: [react()],
    build: {
      target: CHROME_TARGET,
      minify: true,
      outDir: 'out/renderer',
      rolldownOptions: { input: 'src/renderer/index.html' },
    },
  },
});
