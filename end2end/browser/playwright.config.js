// Chromium as the system has it; one worker, since every test has a server of its own.
import { defineConfig } from '@playwright/test';
import { launchOptions, PLACE } from './chromium.js';

export default defineConfig({
  testDir: '.',
  testMatch: '*.spec.js',
  outputDir: 'results/failures',
  workers: 1,
  retries: 0,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: 'list',
  use: {
    viewport: { width: 1280, height: 800 },
    ...PLACE,
    screenshot: 'only-on-failure',
    launchOptions,
  },
});
