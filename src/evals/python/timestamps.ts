/** The reference writes local times without a zone; ours are UTC, in the same form. */
export function timestamp(at: number): string {
  return `${new Date(at).toISOString().slice(0, -1)}000`;
}

/** Milliseconds since the epoch; a time without a zone counts as UTC. NaN where it is no time. */
export function instantOf(text: string): number {
  const hasZone = /(?:Z|[+-]\d\d:?\d\d)$/.test(text);
  return Date.parse(`${text.replace(' ', 'T').replace(/(\.\d{3})\d+/, '$1')}${hasZone ? '' : 'Z'}`);
}
