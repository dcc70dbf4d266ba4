import { extensions } from '../../schemas/index.ts';

export const MODEL_ROLES = [
  'chat',
  'completion',
  'suffix-completion',
  'assistant',
  'vision',
  'image-v2',
  'image-v3',
  'transcription',
  'speech',
  'moderation',
  'fine-tuning',
] as const;

/** A task for which scenarios need a model; `--model ROLE=ID` names the target's model for it. */
export type ModelRole = (typeof MODEL_ROLES)[number];

/** A built-in role, or one of an extension, which begins with the extension's name: `embeddings.model`. */
export type RoleName = ModelRole | ExtensionRole;
type ExtensionRole = `${string}.${string}`;

export type RoleModels = Partial<Record<ModelRole, string>> & Record<ExtensionRole, string>;

/** The roles of the active extensions, each with its default model. */
export function extensionModels(): Readonly<Record<ExtensionRole, string>> {
  return Object.assign({}, ...extensions().map(({ models }) => models));
}

/** The built-in roles, then those of the active extensions. */
export function roleNames(): readonly RoleName[] {
  // as: an extension gives its roles names of this form
  return [...MODEL_ROLES, ...(Object.keys(extensionModels()) as ExtensionRole[])];
}
