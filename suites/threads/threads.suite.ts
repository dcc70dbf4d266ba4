import { scenario } from '../../drive/scenario.ts';
import { resources } from '../assistants/samples.ts';
import { authScenarios } from '../generate/auth.ts';
import { lifeScenario } from '../generate/relations/life.ts';
import { probeScenarios } from '../generate/scenarios.ts';
import * as bases from './base.ts';
import { aThread } from './resources.ts';
import { thread } from './samples.ts';

export const probes = probeScenarios(Object.values(bases));

export const auth = authScenarios(Object.values(bases));

export const life = lifeScenario({
  resource: aThread,
  shows: ['metadata:*', 'tool_resources:*', 'metadata.modify.*'],
  bodies: async (stage) => [
    {},
    { metadata: { made_by: stage.tag, purpose: 'a look' }, tool_resources: await resources(stage) },
  ],
  modifications: async (stage) => [
    {},
    { metadata: { made_by: stage.tag, purpose: 'another look' } },
    { tool_resources: await resources(stage) },
    { metadata: {} },
  ],
});

/** A thread that begins with messages of both roles. */
export const conversation = scenario({
  name: 'threads.conversation',
  family: 'threads',
  operations: ['createThread'],
  shows: ['threads.create.messages-listed', 'threads.resources.unset'],
  cost: ['free'],
  roles: [],
  run: async (stage) => {
    const messages = [
      { role: 'user', content: 'Which way is north?' },
      { role: 'assistant', content: 'Where the compass points.' },
      { role: 'user', content: 'And south?' },
    ];
    const path = await thread(stage, { messages });
    await stage.call('listMessages', { path, query: { limit: 100 } });
    await stage.call('listMessages', { path: await thread(stage), query: { limit: 100 } });
  },
});
