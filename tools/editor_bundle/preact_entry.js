// One Preact for the whole page: html`...` instead of a compiler, and the hooks the page uses.
import {h, render, Component, createContext, Fragment, createRef} from "preact";
import {useState, useReducer, useEffect, useLayoutEffect, useRef, useMemo, useCallback, useContext, useErrorBoundary, useId} from "preact/hooks";
import htm from "htm";

const html = htm.bind(h);
export {h, html, render, Component, createContext, Fragment, createRef};
export {useState, useReducer, useEffect, useLayoutEffect, useRef, useMemo, useCallback, useContext, useErrorBoundary, useId};
