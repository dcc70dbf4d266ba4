// Generated from the schema files by `npm run generate`. Do not edit.

/** Free form, or JSON mode. */
export type AssistantResponseFormat =
  | 'auto'
  | {
      /** JSON mode: what is generated is valid JSON */
      type: 'json_object';
    };
/** A part of a message that is sent to a model. */
export type ChatContentPart =
  | {
      /** Kind of part */
      type: 'text';
      /** The text */
      text: string;
    }
  | {
      /** Kind of part */
      type: 'image_url';
      /** Where the image is */
      image_url: {
        /** Address of the image */
        url: string;
      };
    }
  | {
      /** Kind of part */
      type: 'text' | 'image_url' | (string & {});
    };
/** Whether and which function the model calls. `none` when no tools are given, `auto` when some are. */
export type ChatToolChoice =
  | ('none' | 'auto' | 'required')
  | {
      /** Kind of tool */
      type: 'function';
      /** The function */
      function: {
        /** Its name */
        name: string;
      };
    };
/** The stream ends here; the data are these six characters, not JSON. */
export type DoneEvent = '[DONE]';
/** Added to the logits of tokens before sampling: token id to bias. Around 1 nudges, 100 forces, -100 bans. */
export type LogitBias = {
  /** Bias of this token */
  [k: string]: number;
} | null;
/** Up to four sequences at which the model stops. */
export type Stop = (string | null) | string[];
/** A thread was made, together with its run. */
export type ThreadCreatedEvent = Thread;
/** A message is written. */
export type ThreadMessageCompletedEvent = ThreadMessage & {
  /** Always completed here */
  status?: 'completed';
  /** Only an assistant writes here */
  role?: 'assistant';
};
/** The assistant began a message. */
export type ThreadMessageCreatedEvent = ThreadMessage & {
  /** Always in_progress here */
  status?: 'in_progress';
  /** Only an assistant writes here */
  role?: 'assistant';
  /** Nothing is written yet */
  content?: unknown;
};
/** The assistant is writing a message. */
export type ThreadMessageInProgressEvent = ThreadMessage & {
  /** Always in_progress here */
  status?: 'in_progress';
  /** Only an assistant writes here */
  role?: 'assistant';
};
/** One entry of a thread in the legacy form, which also names its files. */
export type ThreadMessageV1 = ThreadMessage & {
  /**
   * Files attached to it
   *
   * @maxItems 10
   */
  file_ids: string[];
};
/** A run is done. */
export type ThreadRunCompletedEvent = ThreadRun & {
  /** Always completed here */
  status?: 'completed';
  /** Counted by now */
  usage: {
    [k: string]: unknown;
  };
};
/** A run was made. */
export type ThreadRunCreatedEvent = ThreadRun & {
  /** Always queued here */
  status?: 'queued';
};
/** A run began. */
export type ThreadRunInProgressEvent = ThreadRun & {
  /** Always in_progress here */
  status?: 'in_progress';
};
/** A run waits for its turn. */
export type ThreadRunQueuedEvent = ThreadRun & {
  /** Always queued here */
  status?: 'queued';
};
/** A run waits for the output of functions. */
export type ThreadRunRequiresActionEvent = ThreadRun & {
  /** Always requires_action here */
  status?: 'requires_action';
};
/** A step is done. */
export type ThreadRunStepCompletedEvent = ThreadRunStep & {
  /** Always completed here */
  status?: 'completed';
};
/** A step began. */
export type ThreadRunStepCreatedEvent = ThreadRunStep & {
  /** Always in_progress here */
  status?: 'in_progress';
};
/** A step is being worked on. */
export type ThreadRunStepInProgressEvent = ThreadRunStep & {
  /** Always in_progress here */
  status?: 'in_progress';
};
/** Whether and which tool the model uses. */
export type ThreadRunToolChoice =
  | ('none' | 'auto' | 'required')
  | (
      | {
          /** Kind of tool */
          type: 'file_search';
        }
      | {
          /** Kind of tool */
          type: 'function';
          /** The function */
          function: {
            /** Name of the function */
            name: string;
          };
        }
      | {
          /** Kind of tool */
          type: 'code_interpreter';
        }
    );
/** Whether and which tool the model shall use. */
export type ThreadRunToolChoiceInput =
  | ('none' | 'auto' | 'required')
  | (
      | {
          /** Kind of tool */
          type: 'function';
          /** The function */
          function: {
            /** Name of the function */
            name: string;
          };
        }
      | {
          /** Kind of tool */
          type: 'file_search';
        }
      | {
          /** Kind of tool */
          type: 'code_interpreter';
        }
    );
/** A tool of a legacy assistant. */
export type ToolV1 =
  | {
      /** Kind of tool */
      type: 'code_interpreter';
    }
  | {
      /** Kind of tool */
      type: 'function';
      /** A function of the caller that the model may ask to be called. */
      function: FunctionDefinition;
    }
  | {
      /** Kind of tool */
      type: 'retrieval';
    };
/** A tool of a beta assistant. */
export type ToolV2 =
  | {
      /** Kind of tool */
      type: 'code_interpreter';
    }
  | {
      /** Kind of tool */
      type: 'function';
      /** A function of the caller that the model may ask to be called. */
      function: FunctionDefinition;
    }
  | {
      /** Kind of tool */
      type: 'file_search';
    };

/** The type of each schema, by its name. */
export interface Schemas {
  'assistant.deleted': AssistantDeleted;
  'assistant.file': AssistantFile;
  'assistant.file.deleted': AssistantFileDeleted;
  'assistant.file.list': AssistantFileList;
  'assistant.response_format': AssistantResponseFormat;
  'assistant.v1': AssistantV1;
  'assistant.v1.list': AssistantV1List;
  'assistant.v2': AssistantV2;
  'assistant.v2.list': AssistantV2List;
  batch: Batch;
  'batch.error': BatchErrorLine;
  'batch.input': BatchInputLine;
  'batch.list': BatchList;
  'batch.output': BatchOutputLine;
  'chat.completion': ChatCompletion;
  'chat.completion.chunk': ChatCompletionChunk;
  'chat.content_part': ChatContentPart;
  'chat.logprobs': ChatLogprobs;
  'chat.message': ChatMessage;
  'chat.request_message': ChatRequestMessage;
  'chat.response_format': ChatResponseFormat;
  'chat.tool_call': ChatToolCall;
  'chat.tool_choice': ChatToolChoice;
  'createAssistant.v1': CreateAssistantV1Request;
  'createAssistant.v2': CreateAssistantV2Request;
  createAssistantFile: CreateAssistantFileRequest;
  createBatch: CreateBatchRequest;
  createChatCompletion: CreateChatCompletionRequest;
  createCompletion: CreateCompletionRequest;
  createFile: CreateFileRequest;
  createFineTuningJob: CreateFineTuningJobRequest;
  createImage: CreateImageRequest;
  createImageEdit: CreateImageEditRequest;
  createImageVariation: CreateImageVariationRequest;
  createMessage: CreateMessageRequest;
  'createMessage.v1': CreateMessageV1Request;
  createModeration: CreateModerationRequest;
  createRun: CreateRunRequest;
  createSpeech: CreateSpeechRequest;
  createThread: CreateThreadRequest;
  createThreadAndRun: CreateThreadAndRunRequest;
  createTranscription: CreateTranscriptionRequest;
  createTranslation: CreateTranslationRequest;
  createVectorStore: CreateVectorStoreRequest;
  createVectorStoreFile: CreateVectorStoreFileRequest;
  createVectorStoreFileBatch: CreateVectorStoreFileBatchRequest;
  done: DoneEvent;
  file: FileObject;
  'file.deleted': FileDeleted;
  'file.list': FileList;
  'fine_tuning.job': FineTuningJob;
  'fine_tuning.job.checkpoint': FineTuningJobCheckpoint;
  'fine_tuning.job.checkpoint.list': FineTuningJobCheckpointList;
  'fine_tuning.job.event': FineTuningJobEvent;
  'fine_tuning.job.event.list': FineTuningJobEventList;
  'fine_tuning.job.list': FineTuningJobList;
  function: FunctionDefinition;
  image: Image;
  images: Images;
  logit_bias: LogitBias;
  metadata: Metadata;
  model: Model;
  'model.deleted': ModelDeleted;
  'model.list': ModelList;
  moderation: Moderation;
  'modifyAssistant.v1': ModifyAssistantV1Request;
  'modifyAssistant.v2': ModifyAssistantV2Request;
  modifyMessage: ModifyMessageRequest;
  modifyThread: ModifyThreadRequest;
  modifyVectorStore: ModifyVectorStoreRequest;
  stop: Stop;
  stream_options: StreamOptions;
  text_completion: TextCompletion;
  'text_completion.chunk': TextCompletionChunk;
  thread: Thread;
  'thread.created': ThreadCreatedEvent;
  'thread.deleted': ThreadDeleted;
  'thread.message': ThreadMessage;
  'thread.message.completed': ThreadMessageCompletedEvent;
  'thread.message.created': ThreadMessageCreatedEvent;
  'thread.message.delta': ThreadMessageDeltaEvent;
  'thread.message.file': ThreadMessageFile;
  'thread.message.file.list': ThreadMessageFileList;
  'thread.message.in_progress': ThreadMessageInProgressEvent;
  'thread.message.input': ThreadMessageInput;
  'thread.message.list': ThreadMessageList;
  'thread.message.v1': ThreadMessageV1;
  'thread.message.v1.list': ThreadMessageV1List;
  'thread.run': ThreadRun;
  'thread.run.completed': ThreadRunCompletedEvent;
  'thread.run.created': ThreadRunCreatedEvent;
  'thread.run.in_progress': ThreadRunInProgressEvent;
  'thread.run.queued': ThreadRunQueuedEvent;
  'thread.run.requires_action': ThreadRunRequiresActionEvent;
  'thread.run.step': ThreadRunStep;
  'thread.run.step.completed': ThreadRunStepCompletedEvent;
  'thread.run.step.created': ThreadRunStepCreatedEvent;
  'thread.run.step.delta': ThreadRunStepDeltaEvent;
  'thread.run.step.in_progress': ThreadRunStepInProgressEvent;
  'thread.run.step.list': ThreadRunStepList;
  'thread.run.tool_choice': ThreadRunToolChoice;
  'thread.run.tool_choice.input': ThreadRunToolChoiceInput;
  'tool.function': ToolFunction;
  'tool.v1': ToolV1;
  'tool.v2': ToolV2;
  tool_resources: ToolResources;
  transcription: Transcription;
  'transcription.verbose': TranscriptionVerbose;
  translation: Translation;
  usage: Usage;
  vector_store: VectorStore;
  'vector_store.deleted': VectorStoreDeleted;
  'vector_store.file': VectorStoreFile;
  'vector_store.file.deleted': VectorStoreFileDeleted;
  'vector_store.file.list': VectorStoreFileList;
  'vector_store.file_batch': VectorStoreFileBatch;
  'vector_store.file_counts': VectorStoreFileCounts;
  'vector_store.list': VectorStoreList;
}
/** The answer to a deletion: the assistant is gone. */
export interface AssistantDeleted {
  /** Id of what was deleted */
  id: string;
  /** Kind of object */
  object: 'assistant.deleted';
  /** That it is gone */
  deleted: true;
}
/** The tie between a file and a legacy assistant. */
export interface AssistantFile {
  /** Id of the file */
  id: string;
  /** Kind of object */
  object: 'assistant.file';
  /** Unix seconds: when it was attached */
  created_at: number;
  /** The assistant it hangs on */
  assistant_id: string;
}
/** The answer to a deletion: the assistant file is gone. */
export interface AssistantFileDeleted {
  /** Id of what was deleted */
  id: string;
  /** Kind of object */
  object: 'assistant.file.deleted';
  /** That it is gone */
  deleted: true;
}
/** A page of assistant files. */
export interface AssistantFileList {
  /** Kind of object */
  object: 'list';
  /**
   * The page
   *
   * @maxItems 100
   *
   * Items: The tie between a file and a legacy assistant.
   */
  data: AssistantFile[];
  /** Id of the first element; what an empty page carries is not stated */
  first_id?: string | null;
  /** Id of the last element; what an empty page carries is not stated */
  last_id?: string | null;
  /** Whether another page follows */
  has_more: boolean;
}
/** An assistant in the legacy form: files hang on the assistant itself. */
export interface AssistantV1 {
  /** Identifier */
  id: string;
  /** Kind of object */
  object: 'assistant';
  /** Unix seconds: when it was made */
  created_at: number;
  /** Name */
  name?: string | null;
  /** The purpose */
  description?: string | null;
  /** Id of the model it calls */
  model: string;
  /** System instructions */
  instructions?: string | null;
  /**
   * Tools it may use
   *
   * @maxItems 128
   *
   * Items: A tool of a legacy assistant.
   */
  tools: ToolV1[];
  /**
   * Attached files, oldest first
   *
   * @maxItems 20
   */
  file_ids: string[];
  /** Up to 16 string pairs that a caller attaches to an object. */
  metadata: Metadata;
  /** Sampling temperature */
  temperature?: number | null;
  /** Share of the probability mass that is sampled from */
  top_p?: number | null;
  /** Free form, or JSON mode. */
  response_format?: AssistantResponseFormat;
}
/** A page of assistants (v1). */
export interface AssistantV1List {
  /** Kind of object */
  object: 'list';
  /**
   * The page
   *
   * @maxItems 100
   *
   * Items: An assistant in the legacy form: files hang on the assistant itself.
   */
  data: AssistantV1[];
  /** Id of the first element; what an empty page carries is not stated */
  first_id?: string | null;
  /** Id of the last element; what an empty page carries is not stated */
  last_id?: string | null;
  /** Whether another page follows */
  has_more: boolean;
}
/** An assistant in the beta form: files and stores are given per tool. */
export interface AssistantV2 {
  /** Identifier */
  id: string;
  /** Kind of object */
  object: 'assistant';
  /** Unix seconds: when it was made */
  created_at: number;
  /** Name */
  name?: string | null;
  /** The purpose */
  description?: string | null;
  /** Id of the model it calls */
  model: string;
  /** System instructions */
  instructions?: string | null;
  /**
   * Tools it may use
   *
   * @maxItems 128
   *
   * Items: A tool of a beta assistant.
   */
  tools: ToolV2[];
  /** Resources of its tools */
  tool_resources?: ToolResources | null;
  /** Up to 16 string pairs that a caller attaches to an object. */
  metadata: Metadata;
  /** Sampling temperature */
  temperature?: number | null;
  /** Share of the probability mass that is sampled from */
  top_p?: number | null;
  /** Free form, or JSON mode. */
  response_format: AssistantResponseFormat;
}
/** A page of assistants (v2). */
export interface AssistantV2List {
  /** Kind of object */
  object: 'list';
  /**
   * The page
   *
   * @maxItems 100
   *
   * Items: An assistant in the beta form: files and stores are given per tool.
   */
  data: AssistantV2[];
  /** Id of the first element; what an empty page carries is not stated */
  first_id?: string | null;
  /** Id of the last element; what an empty page carries is not stated */
  last_id?: string | null;
  /** Whether another page follows */
  has_more: boolean;
}
/** Many requests that are run from a file. */
export interface Batch {
  /** Identifier */
  id: string;
  /** Kind of object */
  object: 'batch';
  /** Endpoint of every request */
  endpoint: string;
  /** The errors; inner fields are not shown */
  errors?: {} | null;
  /** File of requests */
  input_file_id: string;
  /** Time it may take */
  completion_window: '24h';
  /** How far it is */
  status: 'validating' | 'completed' | 'cancelling' | (string & {});
  /** File of results */
  output_file_id?: string | null;
  /** File of failed requests */
  error_file_id?: string | null;
  /** Unix seconds: when it was made */
  created_at?: number | null;
  /** Unix seconds: when it began; null until then */
  in_progress_at?: number | null;
  /** Unix seconds: when it will expire */
  expires_at?: number | null;
  /** Unix seconds: when its results began to be written; null until then */
  finalizing_at?: number | null;
  /** Unix seconds: when it was done; null until then */
  completed_at?: number | null;
  /** Unix seconds: when it failed; null until then */
  failed_at?: number | null;
  /** Unix seconds: when it expired; null until then */
  expired_at?: number | null;
  /** Unix seconds: when it began to be cancelled; null until then */
  cancelling_at?: number | null;
  /** Unix seconds: when it was cancelled; null until then */
  cancelled_at?: number | null;
  /** How many requests there are, and how they went */
  request_counts: {
    /** All */
    total: number;
    /** Done */
    completed: number;
    /** Failed */
    failed: number;
  };
  /** Pairs of the caller */
  metadata?: Metadata | null;
}
/** One line of the file of failed requests. */
export interface BatchErrorLine {
  /** Identifier of the request */
  id: string;
  /** Name the caller gave it */
  custom_id: string;
  /** The response of the endpoint */
  response?: {
    /** HTTP status */
    status_code: number;
    /** Identifier of the answer */
    request_id: string;
    /** Body of the answer */
    body: {
      [k: string]: unknown;
    };
  } | null;
  /** Why the request failed other than by an HTTP answer */
  error?: {
    /** For people */
    message: string;
    /** Kind of error */
    type: string;
    /** The parameter that caused it */
    param: string;
    /** For programs */
    code: string;
  } | null;
}
/** One line of the file that a batch runs. */
export interface BatchInputLine {
  /** Name the caller gives it, once per batch */
  custom_id: string;
  /** HTTP method */
  method: 'POST';
  /** Path of the endpoint */
  url: '/v1/chat/completions' | '/v1/embeddings' | '/v1/completions';
  /** Request body of the endpoint */
  body: {
    [k: string]: unknown;
  };
}
/** A page of batches of the organization. */
export interface BatchList {
  /** Kind of envelope */
  object: 'list';
  /**
   * The page
   *
   * @maxItems 100
   *
   * Items: Many requests that are run from a file.
   */
  data: Batch[];
  /** Id of the first element; what an empty page carries is not stated */
  first_id?: string | null;
  /** Id of the last element; what an empty page carries is not stated */
  last_id?: string | null;
  /** Whether another page follows */
  has_more: boolean;
}
/** One line of the file of successful requests. */
export interface BatchOutputLine {
  /** Identifier of the request */
  id: string;
  /** Name the caller gave it */
  custom_id: string;
  /** The response of the endpoint */
  response?: {
    /** HTTP status */
    status_code: number;
    /** Identifier of the answer */
    request_id: string;
    /** Body of the answer */
    body: {
      [k: string]: unknown;
    };
  } | null;
  /** Why the request failed other than by an HTTP answer */
  error?: {
    /** For people */
    message: string;
    /** Kind of error */
    type: string;
    /** The parameter that caused it */
    param: string;
    /** For programs */
    code: string;
  } | null;
}
/** A reply of a model to a list of messages. */
export interface ChatCompletion {
  /** Identifier, different for each completion */
  id: string;
  /** Kind of object */
  object: 'chat.completion';
  /** Unix seconds: when it was made */
  created: number;
  /** Model that replied */
  model: string;
  /** Names the configuration of the backend; after a change `seed` may not repeat a reply */
  system_fingerprint: string;
  /** The replies, `n` of them */
  choices: {
    /** Place among the choices */
    index: number;
    /** A message that the model wrote. */
    message: ChatMessage;
    /** Log probabilities, where they were asked for */
    logprobs?: ChatLogprobs | null;
    /** Why the reply ended */
    finish_reason: 'stop' | 'length' | 'tool_calls' | (string & {});
  }[];
  /** How many tokens were read and written. */
  usage: Usage;
}
/** A piece of a streamed reply. */
export interface ChatCompletionChunk {
  /** Identifier, the same in every chunk of a stream */
  id: string;
  /** Kind of object */
  object: 'chat.completion.chunk';
  /** Unix seconds: when the reply began; the same in every chunk of a stream */
  created: number;
  /** Model that replies */
  model: string;
  /** Names the configuration of the backend */
  system_fingerprint: string;
  /** The choices that go on; empty in the chunk that carries usage */
  choices: {
    /** Which choice goes on */
    index: number;
    /** The addition to the message */
    delta: {
      /** The author */
      role?: string | null;
      /** Text that is added */
      content?: string | null;
    };
    /** Log probabilities, where they were asked for */
    logprobs: ChatLogprobs | null;
    /** Why the choice ended; null in all but its last chunk */
    finish_reason: 'stop' | 'length' | 'tool_calls' | (string & {}) | null;
  }[];
  /** Tokens of the whole request, on a last extra chunk, where they were asked for */
  usage?: Usage | null;
}
/** How likely each token of a reply was. */
export interface ChatLogprobs {
  /** One entry per token of the reply */
  content: {
    /** The token as text */
    token: string;
    /** Natural logarithm of its probability */
    logprob: number;
    /** UTF-8 bytes of the token; null where it has none */
    bytes: number[] | null;
    /**
     * The likeliest tokens in this place
     *
     * Items: A token that was likely in its place
     */
    top_logprobs: ChatLogprobsCandidate[];
  }[];
}
/** A token that was likely in its place */
export interface ChatLogprobsCandidate {
  /** The token as text */
  token: string;
  /** Natural logarithm of its probability */
  logprob: number;
  /** UTF-8 bytes of the token; null where it has none */
  bytes: number[] | null;
}
/** A message that the model wrote. */
export interface ChatMessage {
  /** The author */
  role: 'assistant';
  /** Text of the reply; null where the reply is tool calls only */
  content?: string | null;
  /** Calls that the model asks for; null counts as none */
  tool_calls?: ChatToolCall[] | null;
}
/** A message that is sent to a model. Other fields of a message, those of tool results among them, are not shown. */
export interface ChatRequestMessage {
  /** The author */
  role?: 'system' | 'user' | 'assistant' | (string & {});
  /** Text, or parts of text and images */
  content?: string | ChatContentPart[] | null;
}
/** The required form of the text of a reply. JSON mode also needs an instruction to write JSON in a message. */
export interface ChatResponseFormat {
  /** JSON mode where it is `json_object` */
  type?: 'json_object' | (string & {});
}
/** A call of a function of the caller, asked for by the model. */
export interface ChatToolCall {
  /** Identifier of the call */
  id: string;
  /** Kind of tool */
  type: 'function';
  /** The function and its arguments */
  function: {
    /** Function that is called */
    name: string;
    /** Arguments, as JSON text */
    arguments: string;
  };
}
/** Fields of a new assistant of the legacy form. */
export interface CreateAssistantV1Request {
  /** Id of the model to call */
  model: string;
  /** Name */
  name?: string | null;
  /** The purpose */
  description?: string | null;
  /** System instructions */
  instructions?: string | null;
  /**
   * Tools it may use
   *
   * @maxItems 128
   *
   * Items: A tool of a legacy assistant.
   */
  tools?: ToolV1[];
  /**
   * Files to attach
   *
   * @maxItems 20
   */
  file_ids?: string[];
  /** Up to 16 string pairs that a caller attaches to an object. */
  metadata?: Metadata;
  /** Sampling temperature */
  temperature?: number | null;
  /** Share of the probability mass to sample from; not to be changed together with temperature */
  top_p?: number | null;
  /** Free form, or JSON mode. */
  response_format?: AssistantResponseFormat;
}
/** Fields of a new assistant of the beta form. */
export interface CreateAssistantV2Request {
  /** Id of the model to call */
  model: string;
  /** Name */
  name?: string | null;
  /** The purpose */
  description?: string | null;
  /** System instructions */
  instructions?: string | null;
  /**
   * Tools it may use
   *
   * @maxItems 128
   *
   * Items: A tool of a beta assistant.
   */
  tools?: ToolV2[];
  /** Resources of its tools */
  tool_resources?: ToolResources | null;
  /** Up to 16 string pairs that a caller attaches to an object. */
  metadata?: Metadata;
  /** Sampling temperature */
  temperature?: number | null;
  /** Share of the probability mass to sample from; not to be changed together with temperature */
  top_p?: number | null;
  /** Free form, or JSON mode. */
  response_format?: AssistantResponseFormat;
}
/** Which file to attach. */
export interface CreateAssistantFileRequest {
  /** Id of a file uploaded for assistants */
  file_id: string;
}
/** Runs the requests of a file. */
export interface CreateBatchRequest {
  /** Id of the file of requests, a `batch.input` per line */
  input_file_id: string;
  /** Endpoint of every request */
  endpoint: '/v1/chat/completions' | '/v1/embeddings' | '/v1/completions';
  /** Time it may take */
  completion_window: '24h';
  /** Pairs of the caller */
  metadata?: Metadata | null;
}
/** Asks for a reply to messages. */
export interface CreateChatCompletionRequest {
  /**
   * The conversation so far
   *
   * Items: A message that is sent to a model. Other fields of a message, those of tool results among them, are not shown.
   */
  messages: ChatRequestMessage[];
  /** Model to reply */
  model: string;
  /** Lowers the odds of tokens the more often they occurred */
  frequency_penalty?: number | null;
  /** Added to the logits of tokens before sampling: token id to bias. Around 1 nudges, 100 forces, -100 bans. */
  logit_bias?: LogitBias;
  /** Whether to return the probability of each token */
  logprobs?: boolean | null;
  /** How many likely tokens to list per place; needs `logprobs` true */
  top_logprobs?: number | null;
  /** Most tokens to write; with the tokens read they must fit the context of the model */
  max_tokens?: number | null;
  /** How many replies; each is billed */
  n?: number | null;
  /** Lowers the odds of tokens that occurred */
  presence_penalty?: number | null;
  response_format?: ChatResponseFormat | null;
  /** For repeatable sampling, as far as possible */
  seed?: number | null;
  /** Up to four sequences at which the model stops. */
  stop?: Stop;
  /** Whether to answer piece by piece */
  stream?: boolean | null;
  /** Only with `stream` true */
  stream_options?: StreamOptions | null;
  /** Sampling temperature */
  temperature?: number | null;
  /** Nucleus sampling */
  top_p?: number | null;
  /**
   * Functions that the model may call
   *
   * @maxItems 128
   */
  tools?: ToolFunction[] | null;
  /** Whether and which function the model calls. `none` when no tools are given, `auto` when some are. */
  tool_choice?: ChatToolChoice;
}
/** Asks for texts that continue a prompt. Both that the prompt is required and what happens without one is stated, so it may be left out here. */
export interface CreateCompletionRequest {
  /** Model to write */
  model: string;
  /** Text or tokens, one prompt or several; without one the text begins as a new document */
  prompt?: string | (string | number | number[])[];
  /** How many texts are written to return the best; above `n`, and never streamed */
  best_of?: number;
  /** Whether the text begins with the prompt */
  echo?: boolean;
  /** Lowers the odds of tokens the more often they occurred */
  frequency_penalty?: number;
  /** Added to the logits of tokens before sampling: token id to bias. Around 1 nudges, 100 forces, -100 bans. */
  logit_bias?: LogitBias;
  /** How many likely tokens to list per place */
  logprobs?: number;
  /** Most tokens to write; with those of the prompt they must fit the context of the model */
  max_tokens?: number;
  /** How many texts per prompt */
  n?: number;
  /** Lowers the odds of tokens that occurred */
  presence_penalty?: number;
  /** For repeatable sampling, as far as possible */
  seed?: number;
  /** Sequences that end the text and are left out of it */
  stop?: Stop;
  /** Whether to answer piece by piece */
  stream?: boolean;
  /** Only with `stream` true */
  stream_options?: StreamOptions | null;
  /** Text after the one that is written; only an instruct model takes it */
  suffix?: string | null;
  /** Sampling temperature */
  temperature?: number | null;
  /** Nucleus sampling */
  top_p?: number | null;
  /** Names the end user, against abuse */
  user?: string;
}
/** Uploads a file. */
export interface CreateFileRequest {
  /** Content of the file, at most 512 MB */
  file: string;
  /** The purpose: assistants and messages, images for assistants, batch input, training */
  purpose: 'assistants' | 'vision' | 'batch' | 'fine-tune';
}
/** Starts the training of a model. */
export interface CreateFineTuningJobRequest {
  /** Base model that can be fine-tuned */
  model: string;
  /** Id of the training file */
  training_file: string;
  /** Settings of the training; other keys and the domains of values are not shown */
  hyperparameters?: {
    /** How often the training file is read */
    n_epochs?: unknown;
  };
  /** Part of the name of the new model */
  suffix?: string | null;
  /** Id of a file to validate with; it shares no data with the training file */
  validation_file?: string | null;
  /** Integrations to use */
  integrations?:
    | {
        /** Kind of integration; names the object beside it */
        type?: string;
        /** The object named by `type`, of a tracker */
        [k: string]:
          | {
              /** Project at the tracker */
              project?: string;
              /** Name of the run at the tracker */
              name?: string;
              /** Tags of the run at the tracker */
              tags?: string[];
            }
          | string
          | undefined;
      }[]
    | null;
  /** For repeatable training; made up when left out */
  seed?: number | null;
}
/** Asks for images of what a prompt says. */
export interface CreateImageRequest {
  /** Description of the images */
  prompt: string;
  /** Model to draw; the earlier one by default */
  model?: string;
  /** How many images */
  n?: number | null;
  /** How fine the image is */
  quality?: 'standard' | 'hd';
  /** An address, or the image itself as base64 */
  response_format?: 'url' | 'b64_json' | null;
  /** Width and height */
  size?: '256x256' | '512x512' | '1024x1024' | '1792x1024' | '1024x1792' | null;
  /** How the image looks */
  style?: 'vivid' | 'natural' | null;
  /** Names the end user, against abuse */
  user?: string;
}
/** Asks for an image to be redrawn where a mask, or the image itself, is transparent. */
export interface CreateImageEditRequest {
  /** The image; without a mask it must be transparent somewhere */
  image: string;
  /** Description of the edited image */
  prompt: string;
  /** Where it is fully transparent, the image is redrawn */
  mask?: string;
  /** Model to draw; only the earlier one */
  model?: string;
  /** How many images */
  n?: number;
  /** Width and height */
  size?: '256x256' | '512x512' | '1024x1024';
  /** An address, or the image itself as base64 */
  response_format?: 'url' | 'b64_json';
  /** Names the end user, against abuse */
  user?: string;
}
/** Asks for images like one. */
export interface CreateImageVariationRequest {
  /** The image */
  image: string;
  /** Model to draw; only the earlier one */
  model?: string;
  /** How many images */
  n?: number;
  /** Width and height */
  size?: '256x256' | '512x512' | '1024x1024';
  /** An address, or the image itself as base64 */
  response_format?: 'url' | 'b64_json';
  /** Names the end user, against abuse */
  user?: string;
}
/** A message to add to a thread, as far as no form is named. */
export interface CreateMessageRequest {
  /** The author; assistant inserts a message in its name */
  role: 'user' | 'assistant';
  /** The content; its form is stated for the legacy form only */
  content: unknown;
  /** Up to 16 string pairs that a caller attaches to an object. */
  metadata?: Metadata;
}
/** A message to add to a thread, in the legacy form. */
export interface CreateMessageV1Request {
  /** The author; assistant inserts a message in its name */
  role: 'user' | 'assistant';
  /** The transcript */
  content: string;
  /**
   * Files to attach
   *
   * @maxItems 10
   */
  file_ids?: string[];
  /** Up to 16 string pairs that a caller attaches to an object. */
  metadata?: Metadata;
}
/** Asks whether texts are harmful. */
export interface CreateModerationRequest {
  /** One text, or several */
  input: string | unknown[];
  /** Model to judge */
  model?: 'text-moderation-stable' | 'text-moderation-latest';
}
/** How to run an assistant on a thread. */
export interface CreateRunRequest {
  /** The assistant to run */
  assistant_id: string;
  /** Id of the model to call instead of the assistant’s */
  model?: string;
  /** Instructions instead of the assistant’s */
  instructions?: string | null;
  /** Instructions to append */
  additional_instructions?: string | null;
  /** Messages to add to the thread first; the form of one is not shown */
  additional_messages?: unknown[] | null;
  /** Tools instead of the assistant’s */
  tools?: ToolV2[] | null;
  /** Up to 16 string pairs that a caller attaches to an object. */
  metadata?: Metadata;
  /** Sampling temperature */
  temperature?: number | null;
  /** Share of the probability mass to sample from */
  top_p?: number | null;
  /** Whether the run is sent as an event stream */
  stream?: boolean | null;
  /** Budget of tokens to read; ends the run when spent */
  max_prompt_tokens?: number | null;
  /** Budget of tokens to write; ends the run when spent */
  max_completion_tokens?: number | null;
  /** How the thread is shortened before the run; its fields are not shown */
  truncation_strategy?: {
    [k: string]: unknown;
  };
  /** Whether and which tool the model shall use. */
  tool_choice?: ThreadRunToolChoiceInput;
  /** Free form, or JSON mode. */
  response_format?: AssistantResponseFormat;
}
/** Asks for text to be spoken. */
export interface CreateSpeechRequest {
  /** Model to speak */
  model: 'tts-1' | 'tts-1-hd';
  /** The text to speak */
  input: string;
  /** The voice */
  voice: 'alloy' | 'echo' | 'fable' | 'onyx' | 'nova' | 'shimmer';
  /** Format of the audio */
  response_format?: 'mp3' | 'opus' | 'aac' | 'flac' | 'wav' | 'pcm';
  /** How fast */
  speed?: number;
}
/** Fields of a new thread. */
export interface CreateThreadRequest {
  /**
   * Messages to start with; a row of another operation shows their form
   *
   * Items: A message that a thread begins with; fields beyond these two are not shown.
   */
  messages?: ThreadMessageInput[];
  /** Resources of tools on this thread */
  tool_resources?: ToolResources | null;
  /** Up to 16 string pairs that a caller attaches to an object. */
  metadata?: Metadata;
}
/** A new thread and how to run an assistant on it. */
export interface CreateThreadAndRunRequest {
  /** The assistant to run */
  assistant_id: string;
  /** The thread to make */
  thread?: {
    /**
     * Messages to start with
     *
     * Items: A message that a thread begins with; fields beyond these two are not shown.
     */
    messages?: ThreadMessageInput[];
  };
  /** Id of the model to call instead of the assistant’s */
  model?: string;
  /** Instructions instead of the assistant’s */
  instructions?: string | null;
  /** Tools instead of the assistant’s */
  tools?: ToolV2[] | null;
  /** Resources of tools */
  tool_resources?: ToolResources | null;
  /** Up to 16 string pairs that a caller attaches to an object. */
  metadata?: Metadata;
  /** Sampling temperature */
  temperature?: number | null;
  /** Share of the probability mass to sample from */
  top_p?: number | null;
  /** Whether the run is sent as an event stream */
  stream?: boolean | null;
  /** Budget of tokens to read; ends the run when spent */
  max_prompt_tokens?: number | null;
  /** Budget of tokens to write; ends the run when spent */
  max_completion_tokens?: number | null;
  /** How the thread is shortened before the run; its fields are not shown */
  truncation_strategy?: {
    [k: string]: unknown;
  };
  /** Whether and which tool the model shall use. */
  tool_choice?: ThreadRunToolChoiceInput;
  /** Free form, or JSON mode. */
  response_format?: AssistantResponseFormat;
}
/** Asks for what is said in audio. */
export interface CreateTranscriptionRequest {
  /** The audio */
  file: string;
  /** Model to listen */
  model: string;
  /** Language of the audio as ISO 639-1 code; helps accuracy and speed */
  language?: string;
  /** Sets the style or continues an earlier segment, in the language of the audio */
  prompt?: string;
  /** Form of the answer */
  response_format?: 'json' | 'text' | 'srt' | 'verbose_json' | 'vtt';
  /** Sampling temperature; at 0 the model raises it by itself until it is sure enough */
  temperature?: number;
  /** Which times to return; only with `verbose_json` */
  'timestamp_granularities[]'?: ('word' | 'segment')[];
}
/** Asks for what is said in audio, in English. */
export interface CreateTranslationRequest {
  /** The audio */
  file: string;
  /** Model to listen */
  model: string;
  /** Sets the style or continues an earlier segment, in English */
  prompt?: string;
  /** Form of the answer */
  response_format?: 'json' | 'text' | 'srt' | 'verbose_json' | 'vtt';
  /** Sampling temperature */
  temperature?: number;
}
/** Fields of a new vector store. */
export interface CreateVectorStoreRequest {
  /** Files to add */
  file_ids?: string[];
  /** Name */
  name?: string;
  /** When the store expires; other fields are not shown */
  expires_after?: {
    /** Seconds */
    duration: number;
  };
  /** Up to 16 string pairs that a caller attaches to an object. */
  metadata?: Metadata;
}
/** Which file to add. */
export interface CreateVectorStoreFileRequest {
  /** Id of an uploaded file */
  file_id: string;
}
/** Which files to add together. */
export interface CreateVectorStoreFileBatchRequest {
  /** Ids of uploaded files */
  file_ids: string[];
}
/** A file that was uploaded, or that the service wrote. */
export interface FileObject {
  /** Identifier */
  id: string;
  /** Size in bytes */
  bytes: number;
  /** Unix seconds: when it was uploaded */
  created_at: number;
  /** Name it was uploaded under */
  filename: string;
  /** Kind of object */
  object: 'file';
  /** The purpose */
  purpose:
    | 'assistants'
    | 'assistants_output'
    | 'batch'
    | 'batch_output'
    | 'fine-tune'
    | 'fine-tune-results'
    | 'vision';
  /**
   * @deprecated
   * How far it is processed
   */
  status?: 'uploaded' | 'processed' | 'error';
  /**
   * @deprecated
   * Why processing failed; the error of a fine-tuning job replaces it
   */
  status_details?: string | null;
}
/** States that it is deleted. */
export interface FileDeleted {
  /** The deleted object */
  id: string;
  /** Kind of object */
  object: 'file';
  /** Always true */
  deleted: true;
}
/** Files of the organization. */
export interface FileList {
  /** Kind of envelope */
  object: 'list';
  /**
   * The elements
   *
   * Items: A file that was uploaded, or that the service wrote.
   */
  data: FileObject[];
}
/** The training of a model. */
export interface FineTuningJob {
  /** Identifier */
  id: string;
  /** Unix seconds: when it was made */
  created_at: number;
  /** Why it failed; inner fields are not shown */
  error?: {} | null;
  /** Name of the new model; null while the job runs */
  fine_tuned_model?: string | null;
  /** Unix seconds: when it ended; null until then */
  finished_at?: number | null;
  /** Settings of the training; the domains of values are not shown */
  hyperparameters: {
    /** How often the training file is read, or `auto` */
    n_epochs?: number | 'auto';
    /** Examples per step */
    batch_size?: unknown;
    /** Scale of the learning rate */
    learning_rate_multiplier?: unknown;
  };
  /** Base model */
  model: string;
  /** Kind of object */
  object: 'fine_tuning.job';
  /** Organization that owns it */
  organization_id: string;
  /** Files with results */
  result_files: string[];
  /** How far it is */
  status: 'validating_files' | 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';
  /** Tokens billed; null while the job runs */
  trained_tokens?: number | null;
  /** File it trains on */
  training_file: string;
  /** File it is validated with, if any */
  validation_file?: string | null;
  /** Integrations in use */
  integrations?: unknown[] | null;
  /** Seed of the job */
  seed: number;
  /** Unix seconds: when it is thought to end; null when it does not run */
  estimated_finish?: number | null;
}
/** A model as it was at a step of a fine-tuning job. */
export interface FineTuningJobCheckpoint {
  /** Identifier */
  id: string;
  /** Kind of object */
  object: 'fine_tuning.job.checkpoint';
  /** Unix seconds: when it was made */
  created_at: number;
  /** Name of the model */
  fine_tuned_model_checkpoint: string;
  /** Step it was made at */
  step_number: number;
  /** The job */
  fine_tuning_job_id: string;
  /** Metrics of the step; some samples show few of them */
  metrics: {
    step?: number;
    train_loss?: number;
    train_mean_token_accuracy?: number;
    valid_loss?: number;
    valid_mean_token_accuracy?: number;
    full_valid_loss?: number;
    full_valid_mean_token_accuracy?: number;
  };
}
/** A page of the checkpoints of a job. */
export interface FineTuningJobCheckpointList {
  /** Kind of envelope */
  object: 'list';
  /**
   * The page
   *
   * Items: A model as it was at a step of a fine-tuning job.
   */
  data: FineTuningJobCheckpoint[];
  /** Id of the first element; what an empty page carries is not stated */
  first_id?: string | null;
  /** Id of the last element; what an empty page carries is not stated */
  last_id?: string | null;
  /** Whether another page follows */
  has_more: boolean;
}
/** Something that happened to a fine-tuning job. */
export interface FineTuningJobEvent {
  /** Identifier */
  id: string;
  /** Kind of object */
  object: 'fine_tuning.job.event';
  /** Unix seconds: when it happened */
  created_at: number;
  /** How serious it is */
  level: 'info' | 'warn' | (string & {});
  /** Description of the event */
  message: string;
  /** Further data; only null was seen */
  data?: unknown;
  /** Kind of event */
  type?: 'message' | (string & {});
}
/** A page of the events of a job. */
export interface FineTuningJobEventList {
  /** Kind of envelope */
  object: 'list';
  /**
   * The page
   *
   * Items: Something that happened to a fine-tuning job.
   */
  data: FineTuningJobEvent[];
  /** Whether another page follows */
  has_more: boolean;
}
/** A page of fine-tuning jobs. */
export interface FineTuningJobList {
  /** Kind of envelope */
  object: 'list';
  /**
   * The page
   *
   * Items: The training of a model.
   */
  data: FineTuningJob[];
  /** Whether another page follows */
  has_more: boolean;
}
/** A function of the caller that the model may ask to be called. */
export interface FunctionDefinition {
  /** Name the model calls it by */
  name: string;
  /** Description of its effect, for the model */
  description?: string;
  /** JSON Schema of the arguments */
  parameters?: {
    [k: string]: unknown;
  };
}
/** An image, as an address or as base64 text, whichever was asked for. */
export interface Image {
  /** The image as base64; with `response_format` `b64_json` */
  b64_json?: string | null;
  /** Where the image is, for an hour; with `response_format` `url` */
  url?: string | null;
  /** The prompt as it was used, where it was revised */
  revised_prompt?: string | null;
}
/** Images that were made. */
export interface Images {
  /** Unix seconds: when they were made */
  created: number;
  /**
   * The images
   *
   * Items: An image, as an address or as base64 text, whichever was asked for.
   */
  data: Image[];
}
/** Up to 16 string pairs that a caller attaches to an object. */
export interface Metadata {
  [k: string]: string;
}
/** A model that can be named in requests. */
export interface Model {
  /** Name of the model */
  id: string;
  /** Kind of object */
  object: 'model';
  /** Unix seconds: when it was made */
  created: number;
  /** Organization that owns it */
  owned_by: string;
}
/** States that it is deleted. */
export interface ModelDeleted {
  /** The deleted object */
  id: string;
  /** Kind of object */
  object: 'model';
  /** Always true */
  deleted: true;
}
/** All models. */
export interface ModelList {
  /** Kind of envelope */
  object: 'list';
  /**
   * The elements
   *
   * Items: A model that can be named in requests.
   */
  data: Model[];
}
/** Whether texts are harmful, and how. */
export interface Moderation {
  /** Identifier */
  id: string;
  /** Model that judged */
  model: string;
  /** One result per text */
  results: {
    /** Whether the text is harmful in any way */
    flagged: boolean;
    /** Whether the text is harmful in this way */
    categories: {
      sexual: boolean;
      hate: boolean;
      harassment: boolean;
      'self-harm': boolean;
      'sexual/minors': boolean;
      'hate/threatening': boolean;
      'violence/graphic': boolean;
      'self-harm/intent': boolean;
      'self-harm/instructions': boolean;
      'harassment/threatening': boolean;
      violence: boolean;
    };
    /** How likely the text is harmful in this way */
    category_scores: {
      sexual: number;
      hate: number;
      harassment: number;
      'self-harm': number;
      'sexual/minors': number;
      'hate/threatening': number;
      'violence/graphic': number;
      'self-harm/intent': number;
      'self-harm/instructions': number;
      'harassment/threatening': number;
      violence: number;
    };
  }[];
}
/** Changes of an assistant of the legacy form; all other fields stay. */
export interface ModifyAssistantV1Request {
  /** Id of the model to call */
  model?: string;
  /** Name */
  name?: string | null;
  /** The purpose */
  description?: string | null;
  /** System instructions */
  instructions?: string | null;
  /**
   * Tools it may use
   *
   * @maxItems 128
   *
   * Items: A tool of a legacy assistant.
   */
  tools?: ToolV1[];
  /**
   * Files to stay attached; the others are detached
   *
   * @maxItems 20
   */
  file_ids?: string[];
  /** Up to 16 string pairs that a caller attaches to an object. */
  metadata?: Metadata;
  /** Sampling temperature */
  temperature?: number | null;
  /** Share of the probability mass to sample from; not to be changed together with temperature */
  top_p?: number | null;
  /** Free form, or JSON mode. */
  response_format?: AssistantResponseFormat;
}
/** Changes of an assistant of the beta form; all other fields stay. */
export interface ModifyAssistantV2Request {
  /** Id of the model to call */
  model?: string;
  /** Name */
  name?: string | null;
  /** The purpose */
  description?: string | null;
  /** System instructions */
  instructions?: string | null;
  /**
   * Tools it may use
   *
   * @maxItems 128
   *
   * Items: A tool of a beta assistant.
   */
  tools?: ToolV2[];
  /** Resources of its tools */
  tool_resources?: ToolResources | null;
  /** Up to 16 string pairs that a caller attaches to an object. */
  metadata?: Metadata;
  /** Sampling temperature */
  temperature?: number | null;
  /** Share of the probability mass to sample from; not to be changed together with temperature */
  top_p?: number | null;
  /** Free form, or JSON mode. */
  response_format?: AssistantResponseFormat;
}
/** New metadata for a message. */
export interface ModifyMessageRequest {
  /** Up to 16 string pairs that a caller attaches to an object. */
  metadata?: Metadata;
}
/** Changes of a thread. */
export interface ModifyThreadRequest {
  /** Resources of tools; elsewhere the specification lets only metadata change */
  tool_resources?: ToolResources | null;
  /** Up to 16 string pairs that a caller attaches to an object. */
  metadata?: Metadata;
}
/** Changes of a vector store. */
export interface ModifyVectorStoreRequest {
  /** Name, or null for none */
  name?: string | null;
  /** When the store expires; other fields are not shown */
  expires_after?: {
    /** Seconds */
    duration: number;
  };
  /** Up to 16 string pairs that a caller attaches to an object. */
  metadata?: Metadata;
}
/** Additional content of a stream. Further options are not shown. */
export interface StreamOptions {
  /** Whether a last extra chunk carries the usage */
  include_usage?: boolean;
}
/** Texts that continue a prompt. */
export interface TextCompletion {
  /** Identifier */
  id: string;
  /** Kind of object */
  object: 'text_completion';
  /** Unix seconds: when it was made */
  created: number;
  /** Model that wrote */
  model: string;
  /** Names the configuration of the backend */
  system_fingerprint: string;
  /** The texts */
  choices: {
    /** Text that was written */
    text: string;
    /** Place among the choices */
    index: number;
    /** Log probabilities, where they were asked for; their form is not shown */
    logprobs: unknown;
    /** Why the text ended */
    finish_reason: string;
  }[];
  /** How many tokens were read and written. */
  usage: Usage;
}
/** A piece of a streamed text completion: the same shape, and null where a piece does not end its choice. */
export interface TextCompletionChunk {
  /** Identifier */
  id: string;
  /** Kind of object */
  object: 'text_completion';
  /** Unix seconds: when it was made */
  created: number;
  /** Model that wrote */
  model: string;
  /** Names the configuration of the backend */
  system_fingerprint: string;
  /** The choices that go on; none in an extra piece that carries usage */
  choices: {
    /** Text that is added */
    text: string;
    /** Place among the choices */
    index: number;
    /** Log probabilities, where they were asked for; their form is not shown */
    logprobs: unknown;
    /** Why the choice ended; null in all but its last piece */
    finish_reason: string | null;
  }[];
  /** Tokens of the whole request; on which pieces is not shown */
  usage?: Usage | null;
}
/** A conversation: the container of its messages. */
export interface Thread {
  /** Identifier */
  id: string;
  /** Kind of object */
  object: 'thread';
  /** Unix seconds: when it was made */
  created_at: number;
  /** Resources of tools on this thread */
  tool_resources?: ToolResources | null;
  /** Up to 16 string pairs that a caller attaches to an object. */
  metadata: Metadata;
}
/** The answer to a deletion: the thread is gone. */
export interface ThreadDeleted {
  /** Id of what was deleted */
  id: string;
  /** Kind of object */
  object: 'thread.deleted';
  /** That it is gone */
  deleted: true;
}
/** One entry of a thread, in the form that run streams and the beta form share. */
export interface ThreadMessage {
  /** Identifier */
  id: string;
  /** Kind of object */
  object: 'thread.message';
  /** Unix seconds: when it was made */
  created_at: number;
  /** The thread it belongs to */
  thread_id: string;
  /** How far it is written */
  status: 'in_progress' | 'incomplete' | 'completed';
  /** Why it was not finished; inner fields are not shown */
  incomplete_details?: {} | null;
  /** Unix seconds: when it was finished; null until then */
  completed_at?: number | null;
  /** Unix seconds: when it was given up; null until then */
  incomplete_at?: number | null;
  /** The author */
  role: 'user' | 'assistant';
  /** Parts of text and images */
  content: (
    | {
        /** Kind of part */
        type: 'text';
        /** Text and its marks */
        text: {
          /** The text */
          value: string;
          /** Marks on the text; the form of one is not shown */
          annotations: unknown[];
        };
      }
    | {
        /** Another kind */
        type: 'text' | (string & {});
      }
  )[];
  /** The assistant that wrote it, if one did */
  assistant_id?: string | null;
  /** The run that made it; null where a caller made it */
  run_id?: string | null;
  /** Up to 16 string pairs that a caller attaches to an object. */
  metadata: Metadata;
}
/** More text of a message. */
export interface ThreadMessageDeltaEvent {
  /** The message it belongs to */
  id: string;
  /** Kind of object */
  object: 'thread.message.delta';
  /** The addition */
  delta: {
    /** Parts that grow */
    content: (
      | {
          /** Which part of the content grows */
          index: number;
          /** Kind of part */
          type: 'text';
          /** The addition */
          text: {
            /** Text to append */
            value: string;
            /** Marks to append; the form of one is not shown */
            annotations?: unknown[];
          };
        }
      | {
          /** Another kind */
          type: 'text' | (string & {});
        }
    )[];
  };
}
/** The tie between a file and a message; legacy form only. */
export interface ThreadMessageFile {
  /** Id of the file */
  id: string;
  /** Kind of object */
  object: 'thread.message.file';
  /** Unix seconds: when it was attached */
  created_at: number;
  /** The message it hangs on */
  message_id: string;
}
/** A page of message files. */
export interface ThreadMessageFileList {
  /** Kind of object */
  object: 'list';
  /**
   * The page
   *
   * @maxItems 100
   *
   * Items: The tie between a file and a message; legacy form only.
   */
  data: ThreadMessageFile[];
  /** Id of the first element; what an empty page carries is not stated */
  first_id?: string | null;
  /** Id of the last element; what an empty page carries is not stated */
  last_id?: string | null;
  /** Whether another page follows */
  has_more: boolean;
}
/** A message that a thread begins with; fields beyond these two are not shown. */
export interface ThreadMessageInput {
  /** The author */
  role: 'user' | 'assistant';
  /** The content; its form is stated for the legacy form only */
  content: unknown;
}
/** A page of messages. */
export interface ThreadMessageList {
  /** Kind of object */
  object: 'list';
  /**
   * The page
   *
   * @maxItems 100
   *
   * Items: One entry of a thread, in the form that run streams and the beta form share.
   */
  data: ThreadMessage[];
  /** Id of the first element; what an empty page carries is not stated */
  first_id?: string | null;
  /** Id of the last element; what an empty page carries is not stated */
  last_id?: string | null;
  /** Whether another page follows */
  has_more: boolean;
}
/** A page of messages (v1). */
export interface ThreadMessageV1List {
  /** Kind of object */
  object: 'list';
  /**
   * The page
   *
   * @maxItems 100
   *
   * Items: One entry of a thread in the legacy form, which also names its files.
   */
  data: ThreadMessageV1[];
  /** Id of the first element; what an empty page carries is not stated */
  first_id?: string | null;
  /** Id of the last element; what an empty page carries is not stated */
  last_id?: string | null;
  /** Whether another page follows */
  has_more: boolean;
}
/** One execution of an assistant on a thread. */
export interface ThreadRun {
  /** Identifier */
  id: string;
  /** Kind of object */
  object: 'thread.run';
  /** Unix seconds: when it was made */
  created_at: number;
  /** The assistant that runs */
  assistant_id: string;
  /** The thread it runs on */
  thread_id: string;
  /** How far it is; the full set is not shown */
  status: 'queued' | 'in_progress' | 'requires_action' | 'completed' | 'incomplete' | (string & {});
  /** Unix seconds: when it began; null until then */
  started_at?: number | null;
  /** Unix seconds: when it expires */
  expires_at?: number | null;
  /** Unix seconds: when it was cancelled; null until then */
  cancelled_at?: number | null;
  /** Unix seconds: when it failed; null until then */
  failed_at?: number | null;
  /** Unix seconds: when it was done; null until then */
  completed_at?: number | null;
  /** The action that it waits for; inner fields are not shown */
  required_action?: {} | null;
  /** Its last error; inner fields are not shown */
  last_error?: {} | null;
  /** Id of the model it calls */
  model: string;
  /** Instructions it follows */
  instructions?: string | null;
  /** Why it ended early; inner fields are not shown */
  incomplete_details?: {} | null;
  /**
   * Tools it may use
   *
   * Items: A tool of a beta assistant.
   */
  tools: ToolV2[];
  /** Files and vector stores that tools may use. */
  tool_resources: ToolResources;
  /** Up to 16 string pairs that a caller attaches to an object. */
  metadata: Metadata;
  /** Tokens spent; null while it runs */
  usage?: Usage | null;
  /** Sampling temperature */
  temperature?: number | null;
  /** Share of the probability mass that is sampled from */
  top_p?: number | null;
  /** Budget of tokens to read */
  max_prompt_tokens?: number | null;
  /** Budget of tokens to write */
  max_completion_tokens?: number | null;
  /** How the thread is shortened before the run; only its default form is seen */
  truncation_strategy: {
    [k: string]: unknown;
  };
  /** Free form, or JSON mode. */
  response_format: AssistantResponseFormat;
  /** Whether and which tool the model uses. */
  tool_choice: ThreadRunToolChoice;
}
/** One step of a run: a message written, or tools called. */
export interface ThreadRunStep {
  /** Identifier */
  id: string;
  /** Kind of object */
  object: 'thread.run.step';
  /** Unix seconds: when it began */
  created_at: number;
  /** The assistant that runs */
  assistant_id: string;
  /** The thread it runs on */
  thread_id: string;
  /** The run it belongs to */
  run_id: string;
  /** The kind of work of the step */
  type: 'message_creation' | 'tool_calls';
  /** How far it is */
  status: 'in_progress' | 'cancelled' | 'failed' | 'completed' | 'expired';
  /** The work of the step */
  step_details:
    | {
        /** The kind of work of the step */
        type: 'message_creation';
        message_creation: {
          /** The message it writes */
          message_id: string;
        };
      }
    | {
        /** The kind of work of the step */
        type: 'tool_calls';
        /** The calls */
        tool_calls: (
          | {
              /** Identifier of the call */
              id: string;
              /** Kind of call */
              type: 'function';
              /** The call and its answer */
              function: {
                /** Function that is called */
                name: string;
                /** Arguments, as JSON text */
                arguments: string;
                /** The output that the caller submitted; null before that */
                output: string | null;
              };
            }
          | {
              /** Another kind */
              type: 'function' | (string & {});
            }
        )[];
      };
  /** Its last error, null without one; inner fields are not shown */
  last_error?: {} | null;
  /** Unix seconds: when its run expired; null until then */
  expired_at?: number | null;
  /** Unix seconds: when it was cancelled; null until then */
  cancelled_at?: number | null;
  /** Unix seconds: when it failed; null until then */
  failed_at?: number | null;
  /** Unix seconds: when it was done; null until then */
  completed_at?: number | null;
  /** Up to 16 string pairs that a caller attaches to an object. */
  metadata: Metadata;
  /** Tokens spent; null while it is in progress */
  usage?: Usage | null;
}
/** More of the function calls of a step. */
export interface ThreadRunStepDeltaEvent {
  /** The step it belongs to */
  id: string;
  /** Kind of object */
  object: 'thread.run.step.delta';
  /** The addition */
  delta: {
    /** The calls */
    step_details: {
      /** The kind of work of the step */
      type: 'tool_calls';
      /** Calls that grow */
      tool_calls: (
        | {
            /** Which call grows */
            index: number;
            /** Identifier of the call; in its first chunk only, null counts as absent */
            id?: string | null;
            /** Kind of call */
            type: 'function';
            /** The addition */
            function: {
              /** Function that is called; in the first chunk only, null counts as absent */
              name?: string | null;
              /** JSON text to append */
              arguments: string;
              /** The output that the caller submitted; null before that */
              output?: string | null;
            };
          }
        | {
            /** Another kind */
            type: 'function' | (string & {});
          }
      )[];
    };
  };
}
/** A page of run steps. */
export interface ThreadRunStepList {
  /** Kind of object */
  object: 'list';
  /**
   * The page
   *
   * @maxItems 100
   *
   * Items: One step of a run: a message written, or tools called.
   */
  data: ThreadRunStep[];
  /** Id of the first element; what an empty page carries is not stated */
  first_id?: string | null;
  /** Id of the last element; what an empty page carries is not stated */
  last_id?: string | null;
  /** Whether another page follows */
  has_more: boolean;
}
/** Lets the model ask for a call of a function; the only tool of chat completions. */
export interface ToolFunction {
  /** Kind of tool */
  type: 'function';
  /** A function of the caller that the model may ask to be called. */
  function: FunctionDefinition;
}
/** Files and vector stores that tools may use. */
export interface ToolResources {
  code_interpreter?: {
    /** Files the code interpreter may read */
    file_ids?: string[];
  };
  file_search?: {
    /** Vector stores the search reads */
    vector_store_ids?: string[];
  };
}
/** The transcript of audio. */
export interface Transcription {
  /** The transcript */
  text: string;
}
/** The transcript of audio, with language, duration and times. */
export interface TranscriptionVerbose {
  /** The task */
  task: string;
  /** Language of the audio */
  language: string;
  /** Seconds; called a string in one place and shown as a number in another */
  duration: number | string;
  /** The transcript */
  text: string;
  /** Where word times were asked for; null counts as absent */
  words?:
    | {
        /** The word */
        word: string;
        /** Second it begins */
        start: number;
        /** Second it ends */
        end: number;
      }[]
    | null;
  /** Where segment times were asked for; null counts as absent */
  segments?:
    | {
        /** Identifier */
        id: unknown;
        /** Offset */
        seek: unknown;
        /** Second it begins */
        start: number;
        /** Second it ends */
        end: number;
        /** The transcript */
        text: string;
        /** Token ids */
        tokens: number[];
        /** Sampling temperature */
        temperature: unknown;
        /** Mean log probability */
        avg_logprob: unknown;
        /** How far the text can be compressed */
        compression_ratio: unknown;
        /** How likely nothing is said */
        no_speech_prob: unknown;
      }[]
    | null;
}
/** The English translation of speech in audio. */
export interface Translation {
  /** The English translation */
  text: string;
}
/** How many tokens were read and written. */
export interface Usage {
  /** Tokens read */
  prompt_tokens: number;
  /** Tokens written */
  completion_tokens: number;
  /** Both together */
  total_tokens: number;
}
/** A searchable collection of processed files. */
export interface VectorStore {
  /** Identifier */
  id: string;
  /** Kind of object */
  object: 'vector_store';
  /** Unix seconds: when it was made */
  created_at: number;
  /** Name; may be unset */
  name?: string | null;
  /** Bytes its files take; samples also call it bytes */
  usage_bytes?: number;
  /** How many files of a store or batch are in which state. */
  file_counts: VectorStoreFileCounts;
  /** Completed means ready for use */
  status: 'expired' | 'in_progress' | 'completed';
  /** When the store expires; other fields are not shown */
  expires_after?: {
    /** Seconds */
    duration?: number;
  } | null;
  /** Unix seconds: when it expires */
  expires_at?: number | null;
  /** Unix seconds: when it was last in use; samples also call it last_used_at */
  last_active_at?: number | null;
  /** Up to 16 string pairs that a caller attaches to an object. */
  metadata: Metadata;
}
/** The answer to a deletion: the vector store is gone. */
export interface VectorStoreDeleted {
  /** Id of what was deleted */
  id: string;
  /** Kind of object */
  object: 'vector_store.deleted';
  /** That it is gone */
  deleted: true;
}
/** A file in a vector store. */
export interface VectorStoreFile {
  /** Id of the file */
  id: string;
  /** Kind of object */
  object: 'vector_store.file';
  /** Bytes it takes in the store, not always its own size */
  usage_bytes: number;
  /** Unix seconds: when it was added */
  created_at: number;
  /** The store it is in */
  vector_store_id: string;
  /** Completed means ready for use */
  status: 'in_progress' | 'completed' | 'cancelled' | 'failed';
  /** Its last error; inner fields are not shown */
  last_error?: {} | null;
}
/** The answer to a deletion: the vector store file is gone. */
export interface VectorStoreFileDeleted {
  /** Id of what was deleted */
  id: string;
  /** Kind of object */
  object: 'vector_store.file.deleted';
  /** That it is gone */
  deleted: true;
}
/** A page of vector store files. */
export interface VectorStoreFileList {
  /** Kind of object */
  object: 'list';
  /**
   * The page
   *
   * @maxItems 100
   *
   * Items: A file in a vector store.
   */
  data: VectorStoreFile[];
  /** Id of the first element; what an empty page carries is not stated */
  first_id?: string | null;
  /** Id of the last element; what an empty page carries is not stated */
  last_id?: string | null;
  /** Whether another page follows */
  has_more: boolean;
}
/** Files that are added to a vector store together. */
export interface VectorStoreFileBatch {
  /** Identifier */
  id: string;
  /** Kind of object; samples spell it in two ways */
  object: 'vector_store.file_batch' | 'vector_store.files_batch';
  /** Unix seconds: when it was made */
  created_at: number;
  /** The store it feeds */
  vector_store_id: string;
  /** How far it is */
  status: 'in_progress' | 'completed' | 'cancelled' | 'failed' | 'cancelling';
  /** How many files of a store or batch are in which state. */
  file_counts: VectorStoreFileCounts;
}
/** How many files of a store or batch are in which state. */
export interface VectorStoreFileCounts {
  /** Being processed */
  in_progress: number;
  /** Ready */
  completed: number;
  /** Cancelled */
  cancelled: number;
  /** Failed */
  failed: number;
  /** All of them */
  total: number;
}
/** A page of vector stores. */
export interface VectorStoreList {
  /** Kind of object */
  object: 'list';
  /**
   * The page
   *
   * @maxItems 100
   *
   * Items: A searchable collection of processed files.
   */
  data: VectorStore[];
  /** Id of the first element; what an empty page carries is not stated */
  first_id?: string | null;
  /** Id of the last element; what an empty page carries is not stated */
  last_id?: string | null;
  /** Whether another page follows */
  has_more: boolean;
}
