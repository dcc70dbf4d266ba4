import {
  type Alternative,
  allOf,
  answers,
  answersByOther,
  type ChoiceTable,
  dropFields,
  elementsOf,
  intercepting,
  objectOf,
  refuses,
  shown,
} from '../deviations/alternatives.ts';
import type { Json, JsonObject } from '../http/json.ts';
import { versionOf } from '../http/route.ts';
import { modelRoles } from '../model/catalogue.ts';
import { perService } from '../state/service.ts';
import { assistantsOf } from './store.ts';

export const choices: ChoiceTable = {
  'assistants.model.unknown': {
    usual: 'refused',
    others: { answered: keepsUnknownModel() },
  },
  'assistants.form.other-fields': {
    usual: 'left out',
    others: {
      kept: foreignKept(),
      refused: refuses(
        ['createAssistant'],
        (request) => request.body[foreignField(versionOf(request))] !== undefined,
      ),
    },
  },
  'assistants.form.unasked-file-ids': { usual: 'left out', others: { shown: foreignUnasked('v2', []) } },
  'assistants.form.unasked-tool-resources': {
    usual: 'left out',
    others: { shown: foreignUnasked('v1', {}) },
  },
  'assistants.function.omitted-parts': {
    usual: 'left out',
    others: {
      empty: shown('assistant', (assistant) => ({
        ...assistant,
        tools: elementsOf(assistant['tools']).map((tool) => completed(objectOf(tool))),
      })),
    },
  },
  'assistants.v1.omitted-settings': {
    usual: 'with them',
    others: {
      'without them': shown('assistant', (assistant, request) =>
        versionOf(request) === 'v1'
          ? dropFields(assistant, ['temperature', 'top_p', 'response_format'])
          : assistant,
      ),
    },
  },
};

/** Creates an assistant with the name of a model that does not exist: an assistant shows the model that it was given. */
function keepsUnknownModel(): Alternative {
  const created = answersByOther('createAssistant', modelRoles.assistant);
  const named = answers(['createAssistant'], (answer, { service, body }) => {
    const model = body['model'] ?? '';
    const assistant = assistantsOf(service).get(String(answer['id']));
    if (assistant !== undefined) assistant.model = String(model);
    return { ...answer, model };
  });
  return allOf([created, named]);
}

/** The field of a request that only the other form has. */
function foreignField(version: 'v1' | 'v2'): string {
  return version === 'v1' ? 'tool_resources' : 'file_ids';
}

/** New assistants of a form with the field of the other one, empty, if their request does not have it. */
function foreignUnasked(version: 'v1' | 'v2', empty: Json): Alternative {
  const name = foreignField(version);
  return answers(['createAssistant'], (assistant, request) =>
    versionOf(request) === version && request.body[name] === undefined
      ? { ...assistant, [name]: empty }
      : assistant,
  );
}

/** Fields of the other form, by the id of their assistant. */
const kept = perService(() => new Map<string, JsonObject>());

function foreignKept(): Alternative {
  return allOf([
    intercepting(['createAssistant'], {
      handle: async (request, proceed) => {
        const made = await proceed(request);
        const name = foreignField(versionOf(request));
        const value = request.body[name];
        // as: the handler answers with the new assistant
        if (value !== undefined) kept(request.service).set((made as { id: string }).id, { [name]: value });
        return made;
      },
    }),
    shown('assistant', (assistant, { service }) => ({
      ...kept(service).get(String(assistant['id'])),
      ...assistant,
    })),
  ]);
}

function completed(tool: JsonObject): JsonObject {
  if (tool['type'] !== 'function') return tool;
  return { ...tool, function: { description: '', parameters: {}, ...objectOf(tool['function']) } };
}
