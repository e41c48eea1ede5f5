import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Browser } from 'playwright-core';
import { ConfigError, FlyballError } from '../core/errors.js';
import type { LaunchOptions } from './launch-options.js';

type Playwright = typeof import('playwright-core');

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** Everything goes through the proxy: names are not resolved here, and what would not use a proxy is not there. */
const ARGUMENTS = [
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  '--dns-prefetch-disable',
  '--disable-quic',
  '--disable-background-networking',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  // requests of shared workers are not shown to whoever drives the browser
  '--disable-blink-features=SharedWorker,WebTransport',
];

export async function launchChromium(
  options: LaunchOptions,
  load: () => Promise<Playwright> = () => import('playwright-core'),
): Promise<Browser> {
  const { chromium } = await loaded(load);
  const executablePath = options.executablePath ?? PLACES.find((place) => existsSync(place));
  if (executablePath === undefined || !existsSync(executablePath)) {
    throw new ConfigError(
      `The browser tools need Chromium, and there is none at ${executablePath ?? PLACES.slice(0, 5).join(', ')}. ` +
        'Install it (on Debian: apt install chromium) or give executablePath.',
    );
  }
  try {
    return await chromium.launch({
      executablePath,
      headless: true,
      chromiumSandbox: options.chromiumSandbox ?? process.getuid?.() !== 0,
      // a process that is asked to stop decides itself what to do first
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      // keys in the environment of this process are none of a page's business
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: tmpdir(), LANG: 'C.UTF-8' },
      args: ARGUMENTS,
    });
  } catch (error) {
    const first = (error as Error).message.split('\n')[0] ?? '';
    throw new FlyballError(
      'CONFIG_INVALID',
      `Chromium at ${executablePath} did not start: ${first} In a container without user namespaces its own sandbox ` +
        'cannot be set up; give chromiumSandbox: false there.',
      { cause: error },
    );
  }
}

async function loaded(load: () => Promise<Playwright>): Promise<Playwright> {
  try {
    return await load();
  } catch (error) {
    throw new FlyballError(
      'CONFIG_INVALID',
      'The browser tools need the package playwright-core. Install it: npm install playwright-core.',
      { cause: error },
    );
  }
}
