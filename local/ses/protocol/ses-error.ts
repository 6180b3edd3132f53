const statusByCode = {
  BadRequestException: 400,
  MessageRejected: 400,
  MailFromDomainNotVerifiedException: 400,
  AlreadyExistsException: 400,
  LimitExceededException: 400,
  SerializationException: 400,
  NotFoundException: 404,
  UnknownOperationException: 404,
  TooManyRequestsException: 429,
  InternalServiceErrorException: 500,
} as const;

export type SesErrorCode = keyof typeof statusByCode;

export class SesError extends Error {
  override readonly name = 'SesError';
  readonly code: SesErrorCode;

  constructor(code: SesErrorCode, message: string) {
    super(message);
    this.code = code;
  }

  get status(): number {
    return statusByCode[this.code];
  }
}

export const badRequest = (message: string) => new SesError('BadRequestException', message);
