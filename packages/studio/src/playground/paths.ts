export function playgroundPath(agent: string): string {
  return `/playground/${encodeURIComponent(agent)}`;
}
