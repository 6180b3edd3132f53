/** What is accepted as the `X-Request-Id` of a client. */
export const requestIdPattern = /^[A-Za-z0-9_.-]{1,128}$/;
