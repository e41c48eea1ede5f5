/**
 * What a loop says again in its own name. Its tool gives back results that it cleared from the prompt, whichever tool
 * they were of, and its summarizer condenses whatever was said. Neither name tells whose words they are, so where anything
 * of a loop is private, so are these.
 */
export function repeatsResults(tool: string): boolean {
  return tool === 'recall_result';
}

export function repeatsConversation(session: string): boolean {
  return session.endsWith('-summarizer');
}
