import type { Skill } from 'flyball/skills';
import { type Route, route } from '../contract/route.js';
import { s } from '../contract/schema.js';
import type { Parts } from '../parts.js';
import { notFound } from '../problem.js';

const cardFields = {
  name: s.string(),
  description: s.string(),
  version: s.string(),
  hash: s.string({ description: 'SHA-256 over all files of the skill.' }),
  agents: s.list(s.string(), { description: 'Agents that can use it.' }),
};
const skillCardSchema = s.named('Skill', s.object(cardFields));
const skillSchema = s.named(
  'SkillDetail',
  s.object({
    ...cardFields,
    license: s.optional(s.string()),
    compatibility: s.optional(s.string()),
    allowedTools: s.optional(s.list(s.string())),
    instructions: s.string(),
    files: s.list(s.object({ path: s.string(), bytes: s.integer(), sha256: s.string() })),
  }),
);

export function skillRoutes(parts: Parts): readonly Route[] {
  const first = skillsOf(parts)[0]?.name;
  return [
    route({
      id: 'listSkills',
      method: 'get',
      path: '/v1/skills',
      tag: 'skills',
      summary: 'List the skills that agents can use',
      scope: 'agents:read',
      answers: { 200: { about: 'The skills', schema: s.object({ skills: s.list(skillCardSchema) }) } },
      examples: [{ title: 'All skills', status: 200 }],
      handle: () => ({ status: 200, body: { skills: skillsOf(parts).map((skill) => cardOf(parts, skill)) } }),
    }),
    route({
      id: 'describeSkill',
      method: 'get',
      path: '/v1/skills/{name}',
      tag: 'skills',
      summary: 'Read a skill: its instructions and files',
      scope: 'agents:read',
      params: s.object({ name: s.string({ maxLength: 200 }) }),
      answers: { 200: { about: 'The skill', schema: skillSchema } },
      examples: [
        ...(first === undefined ? [] : [{ title: 'One skill', params: { name: first }, status: 200 }]),
        { title: 'An unknown skill', params: { name: 'nothing' }, status: 404 },
      ],
      handle: ({ params: { name } }) => {
        const skill = skillsOf(parts).find((each) => each.name === name);
        if (skill === undefined) throw notFound('skill', name);
        return { status: 200, body: detailOf(parts, skill) };
      },
    }),
  ];
}

/** Each name once: agents of one server that name the same skill mean the same one, or the first is shown. */
function skillsOf({ directory }: Parts): readonly Skill[] {
  const byName = new Map<string, Skill>();
  for (const { skills } of directory.groups)
    for (const skill of skills?.all() ?? []) if (!byName.has(skill.name)) byName.set(skill.name, skill);
  return [...byName.values()];
}

function cardOf({ directory }: Parts, { name, description, version, hash }: Skill) {
  const users = directory.list().filter(({ group }) => group.skills?.get(name) !== undefined);
  return { name, description, version, hash, agents: users.map((agent) => agent.name) };
}

/** Where it lies on the disk is nobody's business. */
function detailOf(parts: Parts, skill: Skill) {
  const { license, compatibility, allowedTools, instructions, files } = skill;
  return {
    ...cardOf(parts, skill),
    ...(license === undefined ? {} : { license }),
    ...(compatibility === undefined ? {} : { compatibility }),
    ...(allowedTools === undefined ? {} : { allowedTools: allowedTools.map(({ text }) => text) }),
    instructions,
    files,
  };
}
