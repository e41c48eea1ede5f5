import { signal } from '@preact/signals';

/** Kept for this tab only: closing it forgets the key. */
const PLACE = 'flyball.key';

export interface KeyPlace {
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
  removeItem(name: string): void;
}

/** Set when the server refused what we sent, or sent nothing: the shell then shows the login page. */
export const needsLogin = signal(false);

export function currentKey(place: KeyPlace = sessionStorage): string | undefined {
  return place.getItem(PLACE) ?? undefined;
}

export function keepKey(key: string, place: KeyPlace = sessionStorage): void {
  place.setItem(PLACE, key);
  needsLogin.value = false;
}

export function forgetKey(place: KeyPlace = sessionStorage): void {
  place.removeItem(PLACE);
}
