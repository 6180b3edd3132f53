/** A well-formed id that no record has. */
export const unknownId = '0190a1b2-0000-7000-8000-000000000000';
