import { Split } from '../ui/split.js';
import { Details } from './details.js';
import type { RunModel } from './run-model.js';
import { Waterfall } from './waterfall.js';

export function TimelineTab({ model }: { readonly model: RunModel }) {
  return <Split label="Details" main={<Waterfall model={model} />} side={<Details model={model} />} />;
}
