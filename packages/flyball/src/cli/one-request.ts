import { ConfigError } from '../core/errors.js';
import { requireOpen } from '../people/answer-checks.js';
import { type PersonRequest, requestsIn } from '../people/requests.js';
import { baseOf } from '../views/paths.js';
import type { Call } from './command.js';
import { refuseEnded } from './steer.js';
import { openExisting } from './workplace.js';

const WORDS = {
  approval: { waits: 'is not waiting for an approval', several: 'approvals' },
  answer: { waits: 'has no open question', several: 'answers' },
} as const;

/** The one open request of a run that is meant: the only one there is, or the one that was named. */
export async function oneRequest(
  { place }: Call,
  given: { readonly runId: string; readonly kind: keyof typeof WORDS; readonly named: string | undefined },
): Promise<PersonRequest> {
  const { runId, kind, named } = given;
  const { command } = place;
  const workplace = await openExisting(place, runId);
  try {
    const record = await workplace.desk.get(runId);
    const all = requestsIn(runId, await workplace.desk.entries(runId)).filter(
      (request) => (request.kind === 'approval') === (kind === 'approval'),
    );
    const open = all.filter(({ status }) => status === 'open');
    const meant = named === undefined ? open : ([found(open, named), found(all, named)].find(isSome) ?? []);
    const [first, ...others] = meant;
    if (first !== undefined && others.length === 0) {
      requireOpen(first, Date.now()); // one that is over can be named too: then it is said by whom it was decided
      return first;
    }
    if (first === undefined) await refuseEnded(workplace.desk, record);
    const see = `See what it does: ${command('show', runId)}`;
    if (first === undefined)
      throw new ConfigError(
        named === undefined
          ? `Run ${runId} ${WORDS[kind].waits}. ${see}`
          : `Run ${runId} has no request ${named}. Open requests: ${open.map(({ effect }) => effect).join(', ') || 'none'}.`,
      );
    const names = meant.map(({ effect, about }) => `${effect} (${about})`).join(', ');
    throw new ConfigError(
      `Run ${runId} waits for ${meant.length} ${WORDS[kind].several}. Add the name of one of them: ${names}.`,
    );
  } finally {
    await workplace.close();
  }
}

function isSome(requests: readonly unknown[]): boolean {
  return requests.length > 0;
}

/** Those that go by this name, each thing once: one that was asked about several times is meant as it was asked last. */
function found(requests: readonly PersonRequest[], named: string): readonly PersonRequest[] {
  const matches = requests.filter(({ effect, name, token, about }) =>
    [effect, name, token, baseOf(effect), about].includes(named),
  );
  return [...new Map(matches.map((request) => [baseOf(request.effect), request])).values()];
}
