/** Registers the faults that the environment names, before any source is loaded: `node --import ./plant.mjs --import tsx …` */
import { register } from 'node:module';

register('./plant-loader.mjs', import.meta.url, { data: JSON.parse(process.env['FLYBALL_PLANTED'] ?? '[]') });
