import { cloneJson, setAtPointer, setInResponse } from '../deviations/changes.ts';
import type { Fault } from '../deviations/hooks.ts';
import { ApiError } from '../http/api-error.ts';

export const faults: readonly Fault[] = [
  {
    id: 'models-owner-as-list',
    says: 'owned_by of listed models is a list of texts',
    filed: 'huggingface/transformers#46006',
    requirement: 'model:owned_by#type',
    on: ['listModels'],
    does: setInResponse('/data/*/owned_by', (owner) => [owner ?? null]),
  },
  {
    id: 'models-created-missing',
    says: 'models lack created',
    filed: 'aallam/openai-kotlin#332',
    requirement: 'model:created#required',
    on: ['listModels'],
    does: setInResponse('/data/*/created', () => undefined),
  },
  {
    id: 'models-with-slash-not-found',
    says: 'models whose id contains a slash are listed but not found',
    filed: 'ollama/ollama#10139',
    requirement: 'models.retrieve.listed-is-found',
    on: ['listModels', 'retrieveModel'],
    does: {
      handle: async (request, proceed) => {
        const { model } = request.path;
        if (model === undefined)
          return setAtPointer(cloneJson(await proceed(request)), '/data/0/id', (id) => `acme/${id}`);
        if (model.includes('/')) throw ApiError.missing('model', model);
        return proceed(request);
      },
    },
  },
  {
    id: 'models-none-listed',
    says: 'the list of models is empty, though models answer',
    filed: 'Portkey-AI/gateway#1371',
    requirement: 'models.list.not-empty',
    on: ['listModels'],
    does: setInResponse('/data', []),
  },
  {
    id: 'models-listed-without-key',
    says: 'lists models without a key',
    filed: 'decolua/9router#3085',
    requirement: 'auth.list-models.without-key',
    on: [],
    does: {
      door: ({ method, url, headers }, { apiKey }) => {
        if (apiKey !== null && method === 'GET' && url.startsWith('/v1/models'))
          headers.authorization ??= `Bearer ${apiKey}`;
        return null;
      },
    },
  },
  {
    id: 'chat-wrong-key-accepted',
    says: 'chat completions accept a wrong key',
    filed: 'gpustack/gpustack#3142',
    requirement: 'auth.create-chat-completion.wrong-key',
    on: [],
    does: {
      door: ({ url, headers }, { apiKey }) => {
        if (apiKey !== null && url.startsWith('/v1/chat/completions'))
          headers.authorization = `Bearer ${apiKey}`;
        return null;
      },
    },
  },
];
