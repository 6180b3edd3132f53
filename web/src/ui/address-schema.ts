import { z } from 'zod';

/** Checks only the form: domains may have letters of any alphabet, and the API knows what else an address may contain. */
export const isAddress = (text: string): boolean => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text);

/** A field for an email address. */
export const addressSchema = (message: string) => z.string().refine(isAddress, message);
