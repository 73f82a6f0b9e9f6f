/* stub: nothing is a module here. */
#ifndef _LINUX_EXPORT_H
#define _LINUX_EXPORT_H

#define EXPORT_SYMBOL(symbol)
#define EXPORT_SYMBOL_GPL(symbol)
#define EXPORT_SYMBOL_NS_GPL(symbol, space)
#define EXPORT_SYMBOL_FOR_MODULES(symbol, modules)
#define MODULE_LICENSE(text)
#define MODULE_DESCRIPTION(text)
#define MODULE_AUTHOR(text)
#define MODULE_IMPORT_NS(space)
#define THIS_MODULE NULL

#endif
