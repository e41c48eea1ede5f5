import { openWorld } from '../replay/replay.js';
import { type CallSequence, readSequences } from '../replay/sequence.js';
import type { RecordFields } from '../tau2/python/record-fields.js';
import type { Domain } from '../world/environment.js';
import { type Check, checked, type OpenDomain, RECORDED_DOMAIN, recordLines, unlike } from './check.js';
import { missingData } from './data-in-answers.js';

/** Sequences of calls in fresh environments: hashes, error flags, and what of the answers is data. */
export async function* verifyCalls(text: string, file: string, open: OpenDomain): AsyncGenerator<Check> {
  const domain = await open(RECORDED_DOMAIN);
  const bodies = [...recordLines(text, file)].filter((record) => record.value('calls') !== null);
  for (const [at, sequence] of readSequences(text.split('\n'), file).entries())
    yield checked(`sequence ${String(sequence.name)}`, () => replayed(domain, sequence, bodies[at]));
}

async function replayed(
  domain: Domain,
  sequence: CallSequence,
  record: RecordFields | undefined,
): Promise<readonly string[]> {
  const environment = await openWorld(domain, sequence);
  const own = (): string | null => environment.hashes().agent;
  const differs = [...unlikeHash('the initial hash', record?.value('hash_initial'), own())];
  for (const [at, { call, recorded }] of sequence.calls.entries()) {
    const answer = await environment.respond({ ...call, id: String(at) });
    const what = `call ${at} (${call.name})`;
    differs.push(...unlikeHash(`the hash after ${what}`, recorded.hash, own()));
    if (recorded.error === undefined) continue;
    differs.push(...unlike(`the error flag of ${what}`, recorded.error, answer.error));
    const { content, error } = recorded;
    const [lacking] = content === undefined ? [] : missingData({ content, error }, answer);
    if (lacking !== undefined) differs.push(`${what} lacks ${JSON.stringify(lacking)}`);
  }
  differs.push(...unlikeHash('the final hash', record?.value('hash_final'), own()));
  differs.push(...unlikeHash("the user's final hash", record?.value('user_hash_final'), environment.hashes().user));
  return differs;
}

function unlikeHash(what: string, recorded: unknown, ours: string | null): readonly string[] {
  return typeof recorded === 'string' ? unlike(what, recorded, ours) : [];
}
