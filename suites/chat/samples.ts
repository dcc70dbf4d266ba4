import type { Json } from '../vocabulary/types.ts';

/** Fields of a chat request. */
export type ChatFields = Readonly<Record<string, Json>>;

export function userMessage(content: Json): Json {
  return { role: 'user', content };
}

/** A function tool of this name; its parameters leave the model only one form of arguments. */
export function functionTool(name: string): Json {
  return {
    type: 'function',
    function: {
      name,
      description: 'Get the current weather of a city',
      parameters: {
        type: 'object',
        properties: { city: { type: 'string' }, unit: { type: 'string', enum: ['celsius', 'fahrenheit'] } },
        required: ['city', 'unit'],
      },
    },
  };
}

export const weatherTool = userMessage('What is the weather in Paris, in celsius?');

/** JSON mode also needs an instruction to write JSON. */
export const jsonModeRequest: ChatFields = {
  messages: [
    { role: 'system', content: 'Answer with one JSON object and nothing else.' },
    userMessage('A JSON object with the key word and the value assay.'),
  ],
  response_format: { type: 'json_object' },
};
