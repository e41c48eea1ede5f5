import type { ConversationPolicy, Setting, Speaker } from './conversation-policy.js';
import { setupText } from './setup-text.js';
import { MoveCost, sessionUnder, Transcript } from './transcript.js';

/** Instructions and policy, all tools, one model call a turn: nothing between the model and the conversation. */
export const baseline: ConversationPolicy = (setting) => plainSpeaker('baseline', setting, setupText(setting));

/** The whole control flow of a policy that has none. */
export function plainSpeaker(policy: string, setting: Setting, setup: string): Speaker {
  const transcript = new Transcript();
  const session = sessionUnder(setting, setup);
  return {
    policy,
    setup,
    open: (history) => transcript.recall(history),
    take: async (run, heard) => {
      transcript.hear(heard);
      const reply = await transcript.ask(run, session);
      transcript.replied(reply);
      const cost = new MoveCost();
      cost.add(reply);
      return cost.move(reply.text, reply.toolCalls);
    },
  };
}
