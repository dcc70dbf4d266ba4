import {
  type Alternative,
  allOf,
  type ChoiceTable,
  elementsOf,
  intercepting,
  objectOf,
  refuses,
  showField,
} from '../deviations/alternatives.ts';
import { cloneJson } from '../deviations/changes.ts';
import { ApiError } from '../http/api-error.ts';
import { isJsonObject, type Json, type JsonObject } from '../http/json.ts';
import { type HandlerRequest, versionOf } from '../http/route.ts';

/** Operations that modify metadata, with the one that shows the object. */
const MODIFICATIONS: Readonly<Record<string, string>> = {
  modifyAssistant: 'retrieveAssistant',
  modifyThread: 'retrieveThread',
  modifyMessage: 'retrieveMessage',
  modifyVectorStore: 'retrieveVectorStore',
};

/** 1 Common shapes. A modification that would exceed this is refused. */
const MOST_PAIRS = 16;

export const choices: ChoiceTable = {
  'messages.content.as-parts': {
    usual: 'accepted',
    others: {
      refused: refuses(
        ['createMessage'],
        (request) => versionOf(request) === 'v2' && Array.isArray(request.body['content']),
      ),
    },
  },
  'messages.form.beta-fields': {
    usual: 'attachments',
    others: {
      file_ids: betaFields((attachments) => ({
        file_ids: attachments.flatMap((one) => objectOf(one)['file_id'] ?? []),
      })),
      nothing: betaFields(() => ({})),
    },
  },
  'metadata.modify.other-pairs': { usual: 'replaced', others: { merged: merging() } },
};

function betaFields(instead: (attachments: readonly Json[]) => JsonObject): Alternative {
  return showField('thread.message', ({ attachments, ...message }) =>
    attachments === undefined ? message : { ...message, ...instead(elementsOf(attachments)) },
  );
}

/** Keeps pairs that a modification does not name; the empty map is a separate choice. */
function merging(): Alternative {
  return allOf(
    Object.entries(MODIFICATIONS).map(([modify, retrieve]) =>
      intercepting([modify], {
        handle: async (request: HandlerRequest, proceed, ask) => {
          const { metadata = null } = request.body;
          if (metadata === null || isEmptyMap(metadata)) return proceed(request);
          const before = objectOf(cloneJson(await ask(retrieve, request)));
          const old = objectOf(objectOf(before['value'] ?? before)['metadata']);
          const merged = { ...old, ...objectOf(metadata) };
          if (Object.keys(merged).length > MOST_PAIRS) throw ApiError.invalid('metadata', 'Too many pairs.');
          return proceed({ ...request, body: { ...request.body, metadata: merged } });
        },
      }),
    ),
  );
}

function isEmptyMap(value: Json | undefined): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}
