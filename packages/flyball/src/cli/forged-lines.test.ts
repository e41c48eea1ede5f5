import { budget, createRuntime, done, memoryEngine, type Run } from 'flyball';
import { describe, expect, it } from 'vitest';
import { summarise } from '../views/summary.js';
import { timelineOf } from '../views/timeline.js';
import { ChatView } from './chat/chat-view.js';
import { commandLineFor, quoted } from './command-line.js';
import { reportRest } from './rest-report.js';
import { headerLines } from './run-header.js';
import { screenOn } from './screen.js';
import { timelineText } from './timeline-lines.js';

const FORGED = '    9    +0.900  ✓ pay approved by grace';
const TEXT = `no such order\n${FORGED}\r\n${FORGED}\u001b[2J`;
const plain = { paint: (_color: unknown, text: string) => text, width: 200 };
const command = commandLineFor(undefined);

function collected() {
  let out = '';
  const write = (text: string): void => {
    out += text;
  };
  const screen = screenOn({ out: { write }, error: { write }, env: {} }, false);
  return { screen, write, lines: () => out.split('\n') };
}

/** What somebody sees who looks at a terminal of so many columns, which breaks what is longer. */
function terminal(columns: number) {
  let out = '';
  const write = (text: string): void => {
    out += text;
  };
  const screen = screenOn({ out: { write, isTTY: true, columns }, error: { write }, env: { TERM: 'xterm' } }, false);
  const codes = new RegExp(`${String.fromCharCode(27)}\\[[\\d;?]*[A-Za-z]`, 'g');
  const plainText = () => out.replaceAll(codes, '').replaceAll('\r', '');
  const rows = (line: string): readonly string[] => {
    const found = [''];
    let used = 0;
    for (const char of line) {
      const wide = char > '\u2e80' ? 2 : 1;
      if (used + wide > columns) {
        found.push('');
        used = 0;
      }
      found.push(`${found.pop() ?? ''}${char}`);
      used += wide;
    }
    return found;
  };
  return { screen, write, shown: () => plainText().split('\n').flatMap(rows) };
}

async function ran(agent: (run: Run) => Promise<ReturnType<typeof done>>) {
  const runtime = createRuntime({
    engine: memoryEngine(),
    agents: { agent },
    options: { worker: false, suspendAfterMs: 1 },
  });
  const handle = await runtime.start('agent', null, { id: 'r1', budget: budget() });
  const outcome = await handle.outcome();
  const rest = { outcome, entries: await runtime.entries('r1'), record: await runtime.get('r1') };
  await runtime.close();
  return { ...rest, runId: 'r1', summary: summarise(rest.entries), command };
}

describe('text from outside that holds line breaks [R8-TRIAL3-A11]', () => {
  it('adds no line to the story of a run, nor to what is told of its end', async () => {
    const run = await ran(() => Promise.reject(new Error(TEXT)));
    const story = timelineOf(run.entries).map((line) => timelineText(line, plain));
    expect(story.at(-1)).toContain(`failed: no such order␊${FORGED}␊${FORGED}␛[2J`);
    const { screen, lines } = collected();
    reportRest(screen, run);
    for (const line of [...story, ...headerLines(run, plain), ...lines()]) {
      expect(line).not.toMatch(/[^\P{Cc}\t]/u);
      expect(line.startsWith(FORGED)).toBe(false);
    }
  });

  it('adds no line to a question and to the command that answers it', async () => {
    const run = await ran(async (given) => done((await given.wait({ name: TEXT })) ?? null));
    const { screen, lines } = collected();
    reportRest(screen, run);
    const all = [
      ...timelineOf(run.entries).map((line) => timelineText(line, plain)),
      ...headerLines(run, plain),
      ...lines(),
    ];
    expect(all.filter((line) => line.includes('waits for signal "no such order␊'))).toHaveLength(2);
    expect(all.filter((line) => line.includes("$'no such order\\u000a"))).toHaveLength(2);
    for (const line of all) {
      expect(line).not.toMatch(/[^\P{Cc}\t]/u);
      expect(line.startsWith(FORGED)).toBe(false);
    }
  });

  it('cannot tell of actions in an answer', async () => {
    const run = await ran(async () => done('I looked.\nActions:\n  pay took place'));
    const { screen, lines } = collected();
    reportRest(screen, run);
    expect(lines().slice(2, 5)).toEqual(['      I looked.', '      Actions:', '        pay took place']);
  });

  it('stands deeper than what a chat tells beside a reply, however it is cut into pieces', () => {
    const forged = 'Fine.\n  ✓ pay: sent\n\r? It wants to use read_file';
    for (const size of [1, 7, 100]) {
      const { screen, write, lines } = collected();
      const view = new ChatView(screen, write);
      for (let at = 0; at < forged.length; at += size) view.delta({ type: 'text', text: forged.slice(at, at + size) });
      view.rest();
      expect(lines()).toEqual(['● Fine.', '      ✓ pay: sent', '    ? It wants to use read_file', '']);
    }
  });

  it('begins no line by its length either, on a terminal that breaks long lines [R8-REST-FOLDED]', () => {
    for (const columns of [40, 80, 101]) {
      const { screen, write, shown } = terminal(columns);
      for (let pad = 0; pad <= columns; pad++)
        screen.line(`    1    +0.100  ✗ failed: ${'日'.repeat(pad % 3)}${' '.repeat(pad)}${FORGED}`);
      const view = new ChatView(screen, write);
      for (let pad = 0; pad <= columns; pad++) {
        view.delta({ type: 'text', text: `Fine.${'.'.repeat(pad)}` });
        view.delta({ type: 'text', text: '  ✓ pay: sent' });
        view.rest();
      }
      const seen = shown();
      expect(seen.some((line) => line.includes('↳'))).toBe(true);
      for (const line of seen) {
        expect(line.startsWith(FORGED.slice(0, 12))).toBe(false);
        expect(line.startsWith('  ✓')).toBe(false);
      }
    }
  });

  it('leaves a command in one piece, and everything where nobody looks [R8-REST-FOLDED]', () => {
    const { screen, shown } = terminal(40);
    const command = `    ${screen.paint('cyan', `flyball approve ${'x'.repeat(60)}`)}`;
    screen.line(command);
    expect(shown().join('')).toContain('x'.repeat(60));
    const { screen: piped, lines } = collected();
    piped.line('y'.repeat(300));
    expect(lines()[0]).toBe('y'.repeat(300));
  });

  it('is quoted for a shell as what it is', () => {
    expect(quoted("a\nb\u202e'\\")).toBe("$'a\\u000ab\\u202e\\'\\\\'");
    expect(quoted("it's")).toBe(`'it'\\''s'`);
  });
});
