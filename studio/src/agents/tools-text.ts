/** Which tools a function calls is known when it calls them, and not before. */
export function toolsText(tools: readonly string[] | undefined): string {
  if (tools === undefined) return 'those that its code calls';
  return tools.length === 0 ? 'none' : tools.join(', ');
}
