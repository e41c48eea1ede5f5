/** How something stands, as a color. */
export type Tone = 'good' | 'warn' | 'bad' | 'busy' | 'idle';
