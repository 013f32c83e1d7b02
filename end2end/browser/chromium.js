// Chromium as the system has it, for the tests and for whatever else opens pages.
export { chromium } from '@playwright/test';

export const launchOptions = {
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: [
    '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync',
  ],
};

/** Where and when people are. */
export const PLACE = { locale: 'en-GB', timezoneId: 'Europe/London' };
