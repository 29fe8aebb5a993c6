# The rest of Boost is not needed, nor the configuration files that ask for it.
include(find_by_header)
find_by_header(boost_context boost_context boost/context/fiber.hpp)
