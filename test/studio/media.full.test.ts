import type { Agent, MediaPart, MessagePart } from 'flyball';
import { toolLoop } from 'flyball/loops';
import { scriptedModel } from 'flyball/testing';
import { type DefinedTool, tool } from 'flyball/tools';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { proposes } from '../loops/stage-loop.js';
import { type ServerStage, serverStage } from '../server/stage-server.js';
import { openBrowser } from './stage-browser.js';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC';
const image: MediaPart = { type: 'image', mediaType: 'image/png', data: PIXEL, name: 'meter.png' };
const camera = tool({
  name: 'camera',
  description: 'Takes a picture. Not for anything else.',
  effect: 'pure',
  execute: async (): Promise<readonly MessagePart[]> => [
    { type: 'text', text: 'Taken.' },
    { ...image, name: 'taken.png' },
    { type: 'file', mediaType: 'application/pdf', data: 'JVBERg==', name: 'report.pdf' },
  ],
}) as unknown as DefinedTool;

let stage: ServerStage;
let browser: Browser;

beforeAll(async () => {
  const model = scriptedModel(
    { eye: ({ messages }) => (messages.some(({ role }) => role === 'tool') ? 'A meter.' : proposes('camera', {})) },
    { capabilities: { media: ['image/*', 'application/pdf'] } },
  );
  const eye = toolLoop({
    session: { name: 'eye', model, setup: 'Look.' },
    tools: [camera],
    config: { doubleConfirmation: false },
  });
  stage = await serverStage({ groups: [{ agents: { eye: eye as Agent<unknown, unknown> }, source: 'media' }] });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await stage?.close();
});

it('shows the images of a prompt and of a result as pictures, and a file with its name and size [R11-N12-SHOWN]', async () => {
  const page = await browser.newPage();
  const { body } = await stage.call('POST', '/v1/runs', { body: { agent: 'eye', input: [image] } });
  await expect.poll(async () => (await stage.call('GET', `/v1/runs/${body.id}`)).body.outcome).toBeDefined();
  await page.goto(`${stage.url}/studio/runs/${body.id}?tab=conversation`);
  const first = page.getByRole('article', { name: 'Model call 1, eye' });
  await first.getByRole('button', { name: /Show meter\.png/ }).click();
  const drawn = async (alt: RegExp): Promise<number> =>
    first.getByRole('img', { name: alt }).evaluate((one) => (one as unknown as { naturalWidth: number }).naturalWidth);
  await expect.poll(() => drawn(/meter\.png, image\/png, 69 bytes/)).toBe(1);
  await expect.poll(() => drawn(/taken\.png/)).toBe(1);
  expect(await first.locator('.use').innerText()).toContain('report.pdf, application/pdf, 4 bytes');
  expect(await first.locator('.use').getByRole('link', { name: 'Save report.pdf' }).getAttribute('download')).toBe(
    'report.pdf',
  );
  await page.close();
});
