// What every part of the page draws with.
import { h, render, Component, createRef } from '../vendor/preact/preact.mjs';
import htm from '../vendor/htm/htm.module.js';

export const html = htm.bind(h);
export { render, Component, createRef };

// names joins the class names that hold.
export const names = (...list) => list.filter(Boolean).join(' ');

let last = 0;

// freshID is an id for an element that another one refers to.
export const freshID = (what) => `${what}-${++last}`;
