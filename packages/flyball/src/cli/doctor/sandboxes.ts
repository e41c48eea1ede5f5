import { type BubblewrapDetection, detectBubblewrap } from '../../adapters/sandbox-bubblewrap/detect.js';
import { quickJsSandbox } from '../../adapters/sandbox-quickjs/quickjs-sandbox.js';
import { failureOf } from '../../core/errors.js';
import type { CodeSandbox } from '../../ports/code-sandbox.js';
import { launchChromium } from '../../toolbox/browser-launch.js';
import type { Finding } from './finding.js';

/** What there is to confine tools with. Each is tried out: that it is installed says little about whether it works here. */
export interface Sandboxes {
  readonly bubblewrap: () => Promise<BubblewrapDetection>;
  readonly code: CodeSandbox;
  /** Starts a browser and closes it again. */
  readonly browser: () => Promise<string>;
}

export async function sandboxFindings(of: Sandboxes = ofThisMachine()): Promise<readonly Finding[]> {
  return Promise.all([shellFinding(of), codeFinding(of), browserFinding(of)]);
}

function ofThisMachine(): Sandboxes {
  return { bubblewrap: () => detectBubblewrap(), code: quickJsSandbox(), browser: startedBrowser };
}

async function shellFinding({ bubblewrap }: Sandboxes): Promise<Finding> {
  const found = await bubblewrap();
  if (found.available) return { about: 'shell', state: 'ok', says: `confined by bubblewrap (${found.path})` };
  const says = 'not sandboxed: commands that the rules allow run without a sandbox, and every result says so';
  return { about: 'shell', state: 'absent', says, next: found.why };
}

async function codeFinding({ code }: Sandboxes): Promise<Finding> {
  const about = 'run_javascript';
  try {
    const { end } = await code.evaluate({ code: 'return 6 * 7' }, { signal: new AbortController().signal });
    if (end.how === 'value') return { about, state: 'ok', says: `confined by ${code.name}` };
    return { about, state: 'problem', says: `${code.name} does not work here (${end.how})` };
  } catch (error) {
    return { about, state: 'absent', says: 'cannot run', next: failureOf(error).message };
  }
}

async function browserFinding({ browser }: Sandboxes): Promise<Finding> {
  try {
    return { about: 'browser', state: 'ok', says: await browser() };
  } catch (error) {
    return { about: 'browser', state: 'absent', says: 'cannot be started', next: failureOf(error).message };
  }
}

async function startedBrowser(): Promise<string> {
  const browser = await launchChromium({});
  try {
    return `Chromium ${browser.version()}, driven by playwright-core`;
  } finally {
    await browser.close();
  }
}
