import { randomUUID } from 'node:crypto';
import type { RecordKey } from 'flyball';
import { SERVER_TENANT } from '../access/names.js';
import { type Route, route } from '../contract/route.js';
import { s } from '../contract/schema.js';
import type { Parts } from '../parts.js';

const healthSchema = s.object({ status: s.enumOf(['alive']), version: s.string() });
const readySchema = s.object({
  ready: s.boolean(),
  reasons: s.list(s.string(), { description: 'Why the server is not ready; empty if it is.' }),
});

/** How long storage may take before it counts as gone, and how long an answer about it holds. */
const STORAGE_MS = 2_000;
const HOLDS_MS = 1_000;

type HealthParts = Pick<Parts, 'engine' | 'store' | 'clock' | 'phases' | 'log' | 'settings' | 'isCallable'>;

/** Alive is one question, able to take work another: only the second makes a balancer send requests elsewhere. */
export function healthRoutes(parts: HealthParts): readonly Route[] {
  const storage = new StorageProbe(parts);
  const problems = async (): Promise<readonly string[]> => [
    ...(await storage.problems()),
    ...(parts.isCallable() ? [] : ['the dispatcher has not accepted this worker yet']),
  ];
  return [
    route({
      id: 'getHealth',
      method: 'get',
      path: '/health',
      tag: 'server',
      summary: 'Whether the server is alive',
      scope: undefined,
      answers: { 200: { about: 'The server is alive', schema: healthSchema } },
      examples: [{ title: 'Alive', status: 200 }],
      handle: () => ({ status: 200, body: { status: 'alive', version: parts.settings.version } }),
    }),
    route({
      id: 'getReadiness',
      method: 'get',
      path: '/ready',
      tag: 'server',
      summary: 'Whether the server accepts work',
      scope: undefined,
      answers: {
        200: { about: 'The server accepts work', schema: readySchema },
        503: { about: 'The server does not accept work, and why', schema: readySchema },
      },
      examples: [{ title: 'Ready', status: 200 }],
      handle: async () => {
        const reasons = parts.phases.leaving.aborted ? ['it is shutting down'] : await problems();
        return { status: reasons.length === 0 ? 200 : 503, body: { ready: reasons.length === 0, reasons } };
      },
    }),
  ];
}

/** Reads a run and writes a record. Anybody may ask, so that an answer holds for a moment. */
class StorageProbe {
  private readonly parts: HealthParts;
  private known: { readonly at: number; readonly answer: Promise<readonly string[]> } | undefined;

  constructor(parts: HealthParts) {
    this.parts = parts;
  }

  problems(): Promise<readonly string[]> {
    const now = this.parts.clock.monotonic();
    if (this.known === undefined || now - this.known.at >= HOLDS_MS) this.known = { at: now, answer: this.probe() };
    return this.known.answer;
  }

  private async probe(): Promise<readonly string[]> {
    const { engine } = this.parts;
    const checks = [
      this.check('storage cannot be read', () => engine.list({ limit: 1 })),
      this.check('storage cannot be written', () => this.write()),
    ];
    return (await Promise.all(checks)).flat();
  }

  /** What went wrong goes to the log: the answer is for strangers. */
  private async check(reason: string, work: () => Promise<unknown>): Promise<readonly string[]> {
    let cancel = (): void => undefined;
    const late = new Promise<never>((_, reject) => {
      cancel = this.parts.clock.after(STORAGE_MS, () => reject(new Error(`no answer within ${STORAGE_MS} ms`)));
    });
    try {
      await Promise.race([work(), late]);
      return [];
    } catch (error) {
      this.parts.log.error(reason, error);
      return [reason];
    } finally {
      cancel();
    }
  }

  /** A proposal that is dropped again: it was durable for a moment, and leaves nothing behind. */
  private async write(): Promise<void> {
    const { store, clock } = this.parts;
    const at: RecordKey = { tenant: SERVER_TENANT, owner: 'server', collection: 'readiness', key: 'probe' };
    const id = randomUUID();
    await store.propose(at, { id, over: (await store.get(at))?.version ?? 0, value: null, now: clock.now() });
    await store.drop(at, id);
  }
}
