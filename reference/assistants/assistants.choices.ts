import {
  type Alternative,
  allOf,
  answers,
  answersByOther,
  type ChoiceTable,
  dropFields,
  elementsOf,
  objectOf,
  refuses,
  showField,
} from '../deviations/alternatives.ts';
import type { JsonObject } from '../http/json.ts';
import { versionOf } from '../http/route.ts';
import { modelRoles } from '../model/catalogue.ts';
import { assistantsOf } from './store.ts';

export const choices: ChoiceTable = {
  'assistants.model.unknown': {
    usual: 'refused',
    others: { answered: keepsUnknownModel() },
  },
  'assistants.form.other-fields': {
    usual: 'left out',
    others: {
      refused: refuses(
        ['createAssistant'],
        (request) => request.body[foreignField(versionOf(request))] !== undefined,
      ),
    },
  },
  'assistants.function.omitted-parts': {
    usual: 'left out',
    others: {
      empty: showField('assistant', (assistant) => ({
        ...assistant,
        tools: elementsOf(assistant['tools']).map((tool) => completed(objectOf(tool))),
      })),
    },
  },
  'assistants.v1.omitted-settings': {
    usual: 'with them',
    others: {
      'without them': showField('assistant', (assistant, request) =>
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

function completed(tool: JsonObject): JsonObject {
  if (tool['type'] !== 'function') return tool;
  return { ...tool, function: { description: '', parameters: {}, ...objectOf(tool['function']) } };
}
