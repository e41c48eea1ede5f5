import { memoryStore } from 'flyball';
import { accumulateSkills } from 'flyball/patterns/humanizer';
import { storedSkills } from 'flyball/skills';
import { scriptedModel } from 'flyball/testing';

/** One example of each pattern of humanizers: what the pages about them show. */

const model = scriptedModel({}); // a model of yours: createModels

// #region accumulateSkills
const shelf = storedSkills(memoryStore(), { tenant: 'acme', owner: 'skills' });
const skills = accumulateSkills({ shelf, session: { name: 'distiller', model } });
// in a run: await skills.distil(run, trace, verdict); await skills.retrieve(run, task);
// #endregion

export const examples = { accumulateSkills: skills };
