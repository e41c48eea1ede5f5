export { type AddedSkill, type AddSkills, addSkills } from './add-skills.js';
export { learnedFolder } from './learned-folder.js';
export { type ReadSkill, readSkill } from './read-skill.js';
export { loadSkills, type ReadSkills, readSkills } from './read-skills.js';
export { type SkillsChange, type WatchedSkills, type WatchOptions, watchSkills } from './watch-skills.js';
