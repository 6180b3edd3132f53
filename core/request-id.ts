export const requestIdPattern = /^[A-Za-z0-9_.-]{1,128}$/;
