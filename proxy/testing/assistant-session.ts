import OpenAI, { toFile } from 'openai';

const weatherTool = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Tells the weather of a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
} as const; // as: the client's types want the literal

export async function runAssistantSession(baseURL: string, apiKey: string): Promise<unknown[]> {
  const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
  const { files, beta } = client;
  const results: unknown[] = [];
  const record = <T>(value: T): T => {
    results.push(value);
    return value;
  };
  const content = Buffer.from('# Menu\n\nCrêpes, soup of the day, and tea.\n');
  const file = record(
    await files.create({
      file: await toFile(content, 'menu.md', { type: 'text/markdown' }),
      purpose: 'assistants',
    }),
  );
  const store = record(
    // as: the client's types have other members of `expires_after`
    await beta.vectorStores.create({ name: 'Menus', expires_after: { duration: 86_400 } as never }),
  );
  record(await beta.vectorStores.files.createAndPoll(store.id, { file_id: file.id }));
  record(await beta.vectorStores.retrieve(store.id));
  const assistant = record(
    await beta.assistants.create({
      model: 'chat-large',
      name: 'Waiter',
      instructions: 'You tell guests about the menu and the weather.',
      tools: [{ type: 'file_search' }, weatherTool],
      tool_resources: { file_search: { vector_store_ids: [store.id] } },
    }),
  );
  const thread = record(
    await beta.threads.create({ messages: [{ role: 'user', content: 'How is the weather in Rome?' }] }),
  );

  const stream = beta.threads.runs.stream(thread.id, { assistant_id: assistant.id });
  for await (const event of stream) record(event);
  const run = await stream.finalRun();
  const calls = run.required_action?.submit_tool_outputs.tool_calls ?? [];
  const resumedStream = beta.threads.runs.submitToolOutputsStream(thread.id, run.id, {
    tool_outputs: calls.map(({ id }) => ({ tool_call_id: id, output: 'Sunny, 27 °C' })),
  });
  for await (const event of resumedStream) record(event);

  record((await beta.threads.messages.list(thread.id)).data);
  record((await beta.threads.runs.steps.list(thread.id, run.id)).data);
  record(await beta.threads.del(thread.id));
  record(await beta.assistants.del(assistant.id));
  record(await beta.vectorStores.del(store.id));
  record(await files.del(file.id));
  return results;
}
