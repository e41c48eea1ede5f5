export { addSkills } from './add-skills.js';
export { learnedFolder } from './learned-folder.js';
export { readSkill } from './read-skill.js';
export { loadSkills, readSkills } from './read-skills.js';
export { type WatchedSkills, watchSkills } from './watch-skills.js';
