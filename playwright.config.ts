import { defineConfig } from '@playwright/test';

/** e2e on the built app; `npm run test:e2e` gives it the Electron runtime and a display of its own. */
export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  // A window test that needs longer hangs. Each one starts the app, which takes about a second.
  timeout: 60_000,
  expect: { timeout: 10_000 },
  forbidOnly: true,
  // Two windows at once on two cores make each other slow; the whole suite takes under a minute as it is.
  workers: 1,
  reporter: [['list']],
  projects: [
    { name: 'app', testIgnore: '**/codex/**' },
    { name: 'codex', testMatch: '**/codex/**/*.spec.ts', timeout: 120_000 },
  ],
});
