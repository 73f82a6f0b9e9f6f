# The tests that are scripts: rules that no compiler checks, and the tools themselves.
foreach(name IN ITEMS layers format_style tools)
	add_test(NAME ${name} COMMAND ${PROJECT_SOURCE_DIR}/tests/test_${name}.sh)
	set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
endforeach()
