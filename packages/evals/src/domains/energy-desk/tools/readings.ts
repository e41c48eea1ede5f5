import type { Row } from '../../../world/database.js';
import { customerOfMeter } from '../account.js';
import { audit } from '../audit.js';
import { daysBetween } from '../calendar.js';
import { type Desk, Refused, TODAY, text, whole } from '../desk.js';
import { type DeskTool, deskTool } from '../desk-tool.js';
import { idFor } from '../ids.js';

/** The newest actual reading of a meter, or undefined where nobody ever read it. */
export function lastActual(desk: Desk, meterId: string): Row | undefined {
  const actual = desk.where('meter_readings', { meter_id: meterId, kind: 'actual' }).map(([, row]) => row);
  return actual.reduce<Row | undefined>(
    (newest, row) => (newest === undefined || text(row, 'date') >= text(newest, 'date') ? row : newest),
    undefined,
  );
}

/** Not below the last actual reading and not above twice the expected use since. */
function isExpected(desk: Desk, meterId: string, reading: number): boolean {
  const last = lastActual(desk, meterId);
  if (last === undefined) return true;
  const from = whole(last, 'value');
  const daily = whole(desk.get('meters', meterId), 'expected_daily_units');
  return reading >= from && reading <= from + 2 * daily * daysBetween(text(last, 'date'), TODAY);
}

export function photoId(meterId: string, reading: number): string {
  return idFor('pho', meterId, reading);
}

/** Adds an actual reading and returns its id. */
export function addReading(
  desk: Desk,
  { meterId, reading, date, source }: { meterId: string; reading: number; date: string; source: string },
): string {
  const id = idFor('rd', meterId, reading, date);
  const record = { reading_id: id, meter_id: meterId, date, value: BigInt(reading), kind: 'actual', source };
  desk.add('meter_readings', id, record);
  return id;
}

export const readingTools: readonly DeskTool[] = [
  deskTool('submit_meter_reading_6127', (desk, args) => {
    const [meterId, reading] = [args.text('meter_id'), args.whole('reading')];
    const customerId = customerOfMeter(desk, meterId);
    const source = args.choice('source', ['customer', 'photo', 'engineer']);
    if (source === 'photo' && desk.find('meter_photos', photoId(meterId, reading)) === undefined) {
      throw new Refused(`there is no photograph of ${meterId} with the reading ${reading}.`);
    }
    if (source !== 'photo' && !isExpected(desk, meterId, reading)) {
      throw new Refused(`the reading ${reading} is outside the expected band and needs a photograph.`);
    }
    const id = addReading(desk, { meterId, reading, date: TODAY, source });
    audit(desk, 'submit_meter_reading_6127', customerId);
    return `Reading ${reading} recorded for ${meterId} as ${id}.`;
  }),
];
