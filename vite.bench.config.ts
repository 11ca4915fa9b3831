import { builtinModules } from 'node:module';
import { defineConfig } from 'vite';
import { wasmFiles } from './vite.wasm-file.config.ts';

/** The soak and the figures, of the engine and of the exec-server: plain Node, with the engine from source and the native module left out. */
export default defineConfig({
  plugins: [wasmFiles()],
  ssr: { noExternal: true, external: ['node-pty', 'playwright'] },
  build: {
    ssr: true,
    outDir: 'out/bench',
    target: 'node20.18',
    minify: false,
    sourcemap: true,
    rolldownOptions: {
      input: {
        soak: 'bench/soak.ts',
        figures: 'bench/figures.ts',
        exec: 'bench/exec.ts',
        'exec-server': 'bench/exec-server.ts',
        start: 'bench/start.ts',
        window: 'bench/window.ts',
      },
      external: [/^node-pty/, /^playwright/, ...builtinModules, /^node:/],
    },
  },
});
