import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Agent, done, type Run, systemClock, type Tool } from 'flyball';
import { ledgerClient, scriptedModel } from 'flyball/testing';

/** The agent of the demonstration: reads an invoice, writes a report, and pays once a person has agreed. */

export interface Invoice {
  readonly text: string;
  /** Where the report goes. */
  readonly folder: string;
  /** The bank: a separate process that writes each payment to its ledger. */
  readonly bank: string;
}

/** Canned replies, so that the demo needs no API key and always runs the same way. */
const model = scriptedModel(
  {
    reader: { text: '{"supplier":"Tidal Works","amount":120,"currency":"EUR"}', usage: { input: 640, output: 24 } },
    checker: { text: 'Supplier known, amount within the usual range.', usage: { input: 410, output: 15 } },
    planner: { text: 'Pay in full, today.', usage: { input: 380, output: 8 } },
    writer: {
      text: '# Invoice of Tidal Works\n\n120 EUR, checked, to be paid in full today.\n',
      usage: { input: 520, output: 31 },
    },
  },
  { id: 'scripted/clerk', clock: systemClock(), latencyMs: 350, capabilities: { maxOutputTokens: 200 } },
);

const ask = async (run: Run, name: string, setup: string, question: string): Promise<string> =>
  (await run.ask({ name, model, setup }, question)).text;

// #region tool
/** Undoable: its compensation deletes the file. */
const writeReport: Tool<{ readonly path: string; readonly text: string }, string> = {
  name: 'write-report',
  description: 'Writes the report on an invoice.',
  effect: {
    class: 'undoable',
    compensate: async ({ path }) => rmSync(path, { force: true }),
    simulate: ({ path }) => path,
  },
  reserve: ({ text }) => ({ filesChanged: 1, linesChanged: text.split('\n').length }),
  async execute({ path, text }) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  },
};

// #endregion

/** The bank books immediately and confirms slowly. A crash in between is dangerous. */
const CONFIRMATION_MS = 10_000;

// #region pay
interface Payment {
  readonly supplier: string;
  readonly amount: number;
  readonly bank: string;
}

const pay = (run: Run, given: Payment): Promise<string> =>
  run.step(
    'pay',
    given,
    async (payment, { key, signal }) => {
      await ledgerClient(payment.bank).record(key, { to: payment.supplier, amount: payment.amount }, { signal });
      await new Promise((resolve) => setTimeout(resolve, CONFIRMATION_MS));
      return `receipt ${key}`;
    },
    {
      class: 'irreversible',
      why: 'money leaves the account',
      timeoutMs: 3_000,
      // after a crash, asks the bank whether it has booked this payment
      verify: async (payment, { key }) =>
        (await ledgerClient(payment.bank).effect(key)) === undefined
          ? { happened: 'no' }
          : { happened: 'yes', result: `receipt ${key}` },
      simulate: () => 'receipt (simulated)',
    },
  );
// #endregion

const payInvoice: Agent<Invoice, { readonly report: string; readonly receipt: string }> = async (run, invoice) => {
  run.note({ kind: 'phase', phase: 'read' });
  const read = await ask(run, 'reader', 'Extract supplier and amount as JSON.', invoice.text);
  const { supplier, amount } = JSON.parse(read) as { supplier: string; amount: number };
  await ask(run, 'checker', 'Say whether the invoice is plausible.', read);
  await ask(run, 'planner', 'Say how to pay.', read);

  run.note({ kind: 'phase', phase: 'report' });
  const text = await ask(run, 'writer', 'Write a report in Markdown.', read);
  const report = await run.call(writeReport, { path: join(invoice.folder, 'report.md'), text });
  if (!report.ok) return { stop: 'blocked', because: report.content };

  run.note({ kind: 'phase', phase: 'pay' });
  const receipt = await pay(run, { supplier, amount, bank: invoice.bank });
  return done({ report: report.value, receipt });
};

// #region exports
export const agents = { 'pay-invoice': { agent: payInvoice, version: '1' } };
export const runtime = { prices: { 'scripted/clerk': { input: 3, output: 15 } } };
// #endregion
