import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { type KeyAction, useKeys } from '../app/keys.js';
import { duration } from '../ui/amounts.js';
import { ForkButton } from './fork-button.js';
import type { RunModel } from './run-model.js';

/** Entries a second while playing: a short run takes its time, a long one at most this many seconds. */
const PLAY_TICK_MS = 100;
const LONGEST_PLAY_S = 20;

/** Goes through the journal entry by entry. At the right end it follows the run. */
export function TimeSlider({ model }: { readonly model: RunModel }) {
  const playing = useSignal(false);
  const all = model.entries.value.length;
  const position = model.position.value;
  const isLive = model.upTo.value === 'live';
  const isOver = model.connection.value === 'closed';
  const line = model.lines.value.at(-1);
  useKeys(useMemo(() => keysFor(model, playing), [model]));
  usePlay(model, playing);
  return (
    <section class="slider card" aria-label="Time">
      <div class="slider-row">
        <button
          type="button"
          class="button small"
          onClick={() => togglePlay(model, playing)}
          disabled={all < 2}
          aria-pressed={playing.value}
        >
          {playing.value ? 'Stop' : 'Play'}
        </button>
        <button type="button" class="button small" aria-label="One entry back" onClick={() => step(model, -1)}>
          ‹
        </button>
        <input
          class="slider-range"
          type="range"
          min={Math.min(1, all)}
          max={Math.max(1, all)}
          step={1}
          value={position}
          aria-label="Entry of the journal"
          aria-valuetext={`Entry ${position} of ${all}${line === undefined ? '' : `: ${line.text}`}`}
          onInput={(event) => goTo(model, Number(event.currentTarget.value))}
        />
        <button type="button" class="button small" aria-label="One entry forward" onClick={() => step(model, 1)}>
          ›
        </button>
        <button
          type="button"
          class={`button small ${isLive ? 'on' : ''}`}
          aria-pressed={isLive}
          onClick={() => {
            model.upTo.value = 'live';
          }}
        >
          {isLive ? (isOver ? 'Latest' : 'Live') : isOver ? 'Latest' : 'Back to live'}
        </button>
        <ForkButton model={model} />
      </div>
      <p class="slider-line">
        <span class="number quiet">
          Entry {position} of {all}
          {line === undefined ? '' : ` · ${duration(line.offsetMs)}`}
        </span>
        <span class="cut">{line?.text}</span>
      </p>
    </section>
  );
}

/** The right end is not a place in the past: whoever goes there follows the run again. */
export function goTo(model: Pick<RunModel, 'entries' | 'upTo'>, position: number): void {
  const all = model.entries.peek().length;
  model.upTo.value = position >= all ? 'live' : Math.max(1, position);
}

export function step(model: Pick<RunModel, 'entries' | 'upTo' | 'position'>, by: number): void {
  goTo(model, model.position.peek() + by);
}

type Flag = { value: boolean; peek(): boolean };

function togglePlay(model: RunModel, playing: Flag): void {
  if (!playing.peek() && model.upTo.peek() === 'live') goTo(model, 1);
  playing.value = !playing.peek();
}

function usePlay(model: RunModel, playing: Flag): void {
  const on = playing.value;
  useEffect(() => {
    if (!on) return;
    const timer = setInterval(() => {
      const all = model.entries.peek().length;
      step(model, Math.max(1, Math.ceil(all / ((LONGEST_PLAY_S * 1000) / PLAY_TICK_MS))));
      if (model.upTo.peek() === 'live') playing.value = false;
    }, PLAY_TICK_MS);
    return () => clearInterval(timer);
  }, [on, model, playing]);
}

function keysFor(model: RunModel, playing: Flag): readonly KeyAction[] {
  return [
    { keys: 'ArrowLeft', what: 'One entry back', run: () => step(model, -1) },
    { keys: 'ArrowRight', what: 'One entry forward', run: () => step(model, 1) },
    { keys: 'Home', what: 'First entry', run: () => goTo(model, 1) },
    { keys: 'End', what: 'Back to live', run: () => goTo(model, Number.POSITIVE_INFINITY) },
    { keys: ' ', what: 'Play or stop', run: () => togglePlay(model, playing) },
  ];
}
