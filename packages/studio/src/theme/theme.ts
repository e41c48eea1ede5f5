import { effect, signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';

const PLACE = 'flyball.theme';
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

export const theme = signal<Theme>('system');

/** Takes up what was chosen before and keeps what is chosen now. */
export function startTheme(): void {
  const kept = localStorage.getItem(PLACE);
  theme.value = THEMES.find((known) => known === kept) ?? 'system';
  effect(() => {
    if (theme.value === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme.value;
    localStorage.setItem(PLACE, theme.value);
  });
}

export function nextTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'system';
}
