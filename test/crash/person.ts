import type { Waiting } from 'flyball';
import type { Journey } from './journey.js';
import type { Life, Place } from './place.js';

/** Answers what a run waits for. False when nothing was to be answered: then time has to pass. */
export async function respond(
  place: Place,
  life: Life,
  journey: Journey,
  waiting: readonly Waiting[],
): Promise<boolean> {
  await tryLate(place, life, journey, waiting);
  let isAnswered = false;
  const canPass = waiting.some(({ until }) => until !== undefined);
  for (const one of waiting) {
    if (one.kind === 'sleep' || one.token === undefined || one.name.startsWith('ended:')) continue;
    const known = journey.person.asked.get(one.token) ?? { isAnswered: false, rounds: 0 };
    journey.person.asked.set(one.token, known);
    if (known.isAnswered && ++known.rounds > 2) {
      place.world.blame('signal:lost', `${one.name} was answered and still waits under ${one.token}`);
      continue;
    }
    if (known.isAnswered) continue; // it may be on its way
    if (isLeftAlone(one) || (canPass && journey.person.asked.size <= place.given.people.ignores)) continue;
    known.isAnswered = await answer(place, life, journey, one, waiting);
    isAnswered ||= known.isAnswered;
  }
  return isAnswered;
}

/** Whoever sends a signal has asked for what follows, and does not decide about it. */
const SENDER = 'sam';

/** A wait of a few milliseconds is one that nobody answers in time. */
function isLeftAlone({ request }: Waiting): boolean {
  return (request as { readonly isShort?: boolean } | undefined)?.isShort === true;
}

async function answer(
  place: Place,
  { runtime }: Life,
  { runId, person: { liveForkAsked } }: Journey,
  { kind, name, token = '', request, until }: Waiting,
  all: readonly Waiting[],
): Promise<boolean> {
  const { people } = place.given;
  const send = (to: string, payload: unknown, from = 'ann') =>
    runtime.signal(runId, to, payload, { from, scopes: ['*'], id: `${from} to ${token} ${JSON.stringify(payload)}` });
  if (kind === 'doubt') {
    const { key } = request as { readonly key: string };
    await place.world.settled(); // nobody can say what became of something that is still going on
    const happened = place.world.made(key) > 0;
    await send(token, happened ? { happened, result: `told ${key}` } : { happened });
    return true;
  }
  if (kind === 'approval') {
    if (name === 'approve:live-fork' || name.includes('live-fork')) {
      liveForkAsked.add(token);
      await send(token, { verdict: 'approve' });
      return true;
    }
    const yes = { verdict: 'approve' };
    const no = { verdict: 'reject', reason: 'no' };
    if (!people.isRaced) {
      const verdict = people.verdict === 'approve' ? yes : no;
      return send(token, verdict).then(
        () => true,
        (error: Error) => {
          // on a clock that was set forward its time may be over
          if (until === undefined || until > place.clock.now())
            place.world.blame('signal:refused', `${name} is asked, and was refused: ${error.message}`);
          return false;
        },
      );
    }
    const said = await Promise.allSettled([send(token, yes, 'ann'), send(token, no, 'bob')]);
    const accepted = said.filter((one) => one.status === 'fulfilled' && one.value.delivery === 'delivered').length;
    if (accepted !== 1)
      place.world.blame(
        accepted === 0 ? 'verdict:none' : 'verdict:both',
        `${accepted} of two verdicts on ${name} were accepted`,
      );
    return true;
  }
  const isOnlyOne = all.filter((one) => one.name === name).length === 1;
  const to = people.by === 'name' && isOnlyOne ? name : token;
  const { type } = request as { readonly type: 'number' | 'string' };
  const [right, wrong] = type === 'number' ? [5, 'five'] : ['five', 5];
  if (people.isLate) {
    const taken = await send(to, wrong, SENDER).catch(() => 'refused');
    if (taken !== 'refused') place.world.blame('signal:wrong-type', `${name} takes a ${type} and took ${wrong}`);
  }
  await send(to, right, SENDER).catch((error: Error) => {
    place.world.blame('signal:refused', `${name} is waited for, and was refused: ${error.message}`);
  });
  return true;
}

/** Answers to questions that are open no more must be refused. */
async function tryLate(
  place: Place,
  { runtime }: Life,
  { runId, person: { asked } }: Journey,
  waiting: readonly Waiting[],
): Promise<void> {
  if (!place.given.people.isLate) return;
  const open = new Set(waiting.map(({ token }) => token));
  for (const [token, known] of asked) {
    if (open.has(token) || known.isAnswered) continue;
    known.isAnswered = true; // tried once
    const said = await runtime
      .signal(runId, token, { verdict: 'approve' }, { from: 'late', scopes: ['*'], id: `late to ${token}` })
      .catch(() => 'refused');
    if (said !== 'refused') place.world.blame('signal:dead', `${token} is waited for no more, and took an answer`);
  }
}
