import { defineConfig } from 'vitest/config';
import { wasmFiles } from './vite.wasm-file.config.ts';

/** Needs what `npm run build` leaves in out/. */
const TESTS_OF_THE_BUILD = 'test/boundaries/**/*.built.test.ts';

export default defineConfig({
  plugins: [wasmFiles()],
  test: {
    // A test for the window asks for a DOM in its first line: // @vitest-environment happy-dom
    environment: 'node',
    // Lint does not see `test.only` on a test with fixtures. To run one test alone: -t, or --allowOnly.
    allowOnly: false,
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: [
            'src/**/*.test.{ts,tsx}',
            'scripts/**/*.test.mjs',
            'bench/**/*.test.ts',
            'test/boundaries/**/*.test.ts',
            'test/requirements/**/*.test.ts',
          ],
          exclude: [TESTS_OF_THE_BUILD],
          // On two cores the default is one: 185 s instead of 70.
          maxWorkers: 2,
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts', 'test/conformance/**/*.test.ts', TESTS_OF_THE_BUILD],
          // Real children and real sockets: a deadline far above what they need, so that only a hang reaches it.
          testTimeout: 20_000,
          hookTimeout: 20_000,
          // One process per file, so that what a file leaves open can be told from what its neighbours have. Two at a
          // time: the children need the cores too, and a figure measured beside six other suites says nothing.
          pool: 'forks',
          maxWorkers: 2,
          // After the unit tests, not among them.
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
