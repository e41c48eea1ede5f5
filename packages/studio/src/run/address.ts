import { effect } from '@preact/signals';
import type { RunModel } from './run-model.js';

/** What of the address belongs to a run: the entry that is looked at, and what is selected. The tab is the page's own. */
export interface Spot {
  readonly at: number | 'live';
  readonly selected: string | undefined;
}

export function spotIn(query: URLSearchParams): Spot {
  const at = Number(query.get('at'));
  const selected = query.get('selected');
  return { at: Number.isInteger(at) && at > 0 ? at : 'live', selected: selected === null ? undefined : selected };
}

export function spotQuery({ at, selected }: Spot): Readonly<Record<'at' | 'selected', string | undefined>> {
  return { at: at === 'live' ? undefined : String(at), selected };
}

/** What the page reads and writes; given from outside in tests. */
export interface AddressBar {
  /** Read inside an effect: called again whenever the address changes. */
  query(): URLSearchParams;
  set(changes: Readonly<Record<string, string | undefined>>): void;
}

/** Browsers allow only so many changes of the address in a second, and the slider makes more. */
const SETTLE_MS = 250;

/**
 * Keeps position and selection in the address, so that a link shows what is seen now, and follows it where somebody
 * else changes it: back, forward, or a link. What the model was told last is not told again, or the two would chase each
 * other.
 */
export function keepInAddress(
  model: Pick<RunModel, 'upTo' | 'selected'>,
  address: AddressBar,
  settleMs = SETTLE_MS,
): () => void {
  let last: Spot | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stopReading = effect(() => {
    const spot = spotIn(address.query());
    if (last !== undefined && isSame(spot, last)) return;
    last = spot;
    clearTimeout(timer);
    model.upTo.value = spot.at;
    model.selected.value = spot.selected;
  });
  const stopWriting = effect(() => {
    const spot = { at: model.upTo.value, selected: model.selected.value };
    clearTimeout(timer);
    if (last !== undefined && isSame(spot, last)) return;
    timer = setTimeout(() => {
      last = spot;
      address.set(spotQuery(spot));
    }, settleMs);
  });
  return () => {
    clearTimeout(timer);
    stopReading();
    stopWriting();
  };
}

function isSame(a: Spot, b: Spot): boolean {
  return a.at === b.at && a.selected === b.selected;
}
