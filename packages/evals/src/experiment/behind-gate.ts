import type { Run } from 'flyball';
import type { GateRules } from 'flyball/agents';
import { gatedRun, Witness } from 'flyball/agents';
import type { Party } from '../simulation/party.js';
import type { SimCall, SimMessage } from '../world/message.js';
import { toPlain } from './plain-arguments.js';

export interface BehindGate {
  /** What the agent's calls are made through. */
  readonly run: Run;
  /** A side that is listened to: what a customer states is evidence, unless the agent has said it before. */
  heard(side: Party): Party;
}

/** The agent's calls behind its gate; as they are where there is none. */
export function behindGate(
  run: Run,
  gate: GateRules | undefined,
  before: { readonly known: readonly string[]; readonly history: readonly SimMessage[] },
): BehindGate {
  if (gate === undefined) return { run, heard: (side) => side };
  const witness = new Witness(gate, before.known);
  recall(witness, before.history);
  const heard = (side: Party): Party => ({
    open: (history) => side.open(history),
    stops: (message) => side.stops(message),
    take: async (incoming) => {
      const message = await side.take(incoming);
      hear(witness, message);
      return message;
    },
  });
  return { run: gatedRun(run, gate, witness), heard };
}

function hear(witness: Witness, message: SimMessage): void {
  // words beside calls reach nobody
  if (message.role === 'tool' || message.content === null || message.calls.length > 0) return;
  if (message.role === 'assistant') witness.tells(message.content);
  else witness.says(message.content);
}

/** A conversation that goes on from another one goes on from what was looked up and verified in it, too. */
function recall(witness: Witness, history: readonly SimMessage[]): void {
  let waiting: SimCall[] = [];
  for (const message of history) {
    hear(witness, message);
    if (message.role === 'assistant') waiting = [...message.calls];
    if (message.role !== 'tool' || message.requestor !== 'assistant') continue;
    const at = waiting.findIndex(({ id }) => id === message.id);
    const [call] = at < 0 ? [] : waiting.splice(at, 1);
    if (call !== undefined)
      witness.saw(call.name, toPlain(call.arguments), { content: message.content, failed: message.error });
  }
}
