/** Which tools a function calls is known when it calls them, and not before. */
export function toolsText(tools: readonly string[] | undefined): string {
  if (tools === undefined) return 'chosen by its code';
  return tools.length === 0 ? 'none' : tools.join(', ');
}
