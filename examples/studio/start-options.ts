import { parseArgs } from 'node:util';

export const OPTIONS = `npm start                      server and studio with demo agents, on http://127.0.0.1:4747/studio
npm start -- --port 8080       on another port
npm start -- --fresh           forget earlier runs
npm start -- --check           start everything, check that it works, and exit`;

export interface StartOptions {
  readonly port: number | undefined;
  readonly fresh: boolean;
  readonly check: boolean;
  readonly help: boolean;
}

/** What stands behind `npm start --`; ends the process where it makes no sense. */
export function startOptions(words: readonly string[]): StartOptions {
  try {
    const flag = { type: 'boolean', default: false } as const;
    const { values } = parseArgs({
      args: [...words],
      options: { port: { type: 'string' }, fresh: flag, check: flag, help: flag },
    });
    return { ...values, port: values.port === undefined ? undefined : portOf(values.port) };
  } catch (error) {
    console.error(`npm start: ${error instanceof Error ? error.message : String(error)}\n\n${OPTIONS}`);
    return process.exit(2);
  }
}

function portOf(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new Error(`--port takes a number from 0 to 65535, not ${text}.`);
}
