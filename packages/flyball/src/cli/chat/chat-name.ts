import type { CommandLine } from '../command-line.js';

/** A conversation is an agent of its own beside the one that works, so that a run says which of the two it is. */
const SUFFIX = ':chat';

/** The agent that talks, for an agent that works. */
export function chatName(agent: string): string {
  return `${agent}${SUFFIX}`;
}

/** Whether a run is a conversation, by the name of its agent. */
export function isChat(agent: string): boolean {
  return agent.endsWith(SUFFIX);
}

/** The command that goes on with a run: a person who talked wants to talk, not to watch. */
export function goOnCommand(
  run: { readonly id: string; readonly agent: string | undefined },
  command: CommandLine,
  ...options: readonly string[]
): string {
  return run.agent !== undefined && isChat(run.agent)
    ? command('chat', '--resume', run.id, ...options)
    : command('resume', run.id, ...options);
}
