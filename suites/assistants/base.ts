import type { ScenarioContext } from '../../drive/scenario/scenario.ts';
import { type BaseRequest, baseRequest, type ReadyRequest, renewAfterPairs } from '../generate/requests.ts';
import type { Json } from '../vocabulary/types.ts';
import {
  type AssistantForm,
  assistantFunction,
  createSampleAssistant,
  resourceSamples,
  uploadAssistantFiles,
} from './samples.ts';

const MOST_FILES = 20;

interface Own {
  readonly only?: readonly string[];
  readonly samples: (context: ScenarioContext) => Promise<NonNullable<ReadyRequest['samples']>>;
}

const plain: Own = {
  samples: async () => ({
    'tools[]': (i) => assistantFunction(`fact_${i}`),
    'tools[function]': (i) => assistantFunction(`fact_${i}`),
  }),
};

function toolKinds(form: AssistantForm): NonNullable<ReadyRequest['rules']> {
  const [own, foreign] = form === 'v1' ? ['retrieval', 'file_search'] : ['file_search', 'retrieval'];
  return {
    'body.tools[].type#enum': [
      { control: { tools: [{ type: own }] }, violation: { tools: [{ type: foreign }] } },
      {
        control: { tools: [{ type: 'code_interpreter' }] },
        violation: { tools: [{ type: 'assay_no_such_kind' }] },
      },
      { control: { tools: [assistantFunction('weather')] } },
    ],
  };
}

/** One more than can be attached; duplicates count once. */
const ofFiles: Own = {
  only: ['body.file_ids*'],
  samples: async (context) => {
    const ids = await uploadAssistantFiles(context, MOST_FILES + 1);
    return { 'file_ids[]': (i) => ids[i] ?? '' };
  },
};

const ofResources: Own = { only: ['body.tool_resources*'], samples: resourceSamples };

export const createAssistant = create('v2', plain);
export const createAssistantWithResources = create('v2', ofResources);
export const createLegacyAssistant = create('v1', plain);
export const createLegacyAssistantWithFiles = create('v1', ofFiles);

export const modifyAssistant = modify('v2', plain);
export const modifyAssistantWithResources = modify('v2', ofResources);
export const modifyLegacyAssistant = modify('v1', plain);
export const modifyLegacyAssistantWithFiles = modify('v1', ofFiles);

function create(variant: AssistantForm, { samples, ...own }: Own): BaseRequest {
  return baseRequest({
    operation: 'createAssistant',
    variant,
    ...own,
    ready: async (context) => ({
      fields: { model: context.model('assistant') },
      cheap: { metadata: { made_by: context.tag } },
      samples: await samples(context),
      rules: toolKinds(variant),
    }),
  });
}

function modify(variant: AssistantForm, { samples, ...own }: Own): BaseRequest {
  return baseRequest({
    operation: 'modifyAssistant',
    variant,
    roles: ['assistant'],
    ...own,
    ready: async (context) => {
      const make = async () => ({ assistant_id: await createSampleAssistant(context, variant) });
      return {
        path: await make(),
        fields: {},
        samples: { ...(await samples(context)), model: (): Json => context.model('assistant') },
        rules: toolKinds(variant),
        renew: renewAfterPairs(make),
      };
    },
  });
}
